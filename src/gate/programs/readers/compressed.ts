// Prints what is in gzip files, without unpacking anything to the disk.
import { t } from "../../../shared/l10n.ts";
import { type ParsedFlags, reading } from "../flags.ts";
import type { Assessment } from "../judgement.ts";
import { type ProgramTables, tablesByFlavor } from "../table.ts";

const NAMES_ITS_OUTPUT = "-c -l -t --stdout --to-stdout --list --test".split(" ");

/** Links below a folder are followed where it prints. */
const unpacks = ({ operands }: ParsedFlags) => ({ operands: reading(operands, { kind: "tree", follow: true }) });

function prints(read: ParsedFlags): Partial<Assessment> & { reason?: string } {
	if (NAMES_ITS_OUTPUT.some((flag) => read.flags.has(flag))) return unpacks(read);
	return { reason: t("it replaces the files that it packs or unpacks") };
}

const gzip = tablesByFlavor(
	"tree",
	{
		gnu: {
			alone:
				"-c -d -f -k -l -n -q -r -t -v -1 -2 -3 -4 -5 -6 -7 -8 -9 --stdout --to-stdout --decompress --uncompress --force --keep --list " +
				"--no-name --quiet --recursive --test --verbose --fast --best --help --version",
			text: "-S --suffix",
		},
		bsd: {
			alone: "-c -d -f -k -l -q -r -t -v --stdout --to-stdout --decompress --force --keep --list --quiet --recursive --test --verbose",
		},
		busybox: { alone: "-c -d -f -k -q -t" },
	},
	{ check: prints },
);

const zcat = tablesByFlavor(
	"tree",
	{
		gnu: {
			alone: "-f -l -q -r -t -v --force --list --quiet --recursive --test --verbose --help --version",
			text: "-S --suffix",
		},
		bsd: { alone: "-f" },
		busybox: { alone: "-f" },
	},
	{ check: unpacks },
);

export const gzipPrograms: ProgramTables = { gzip, gunzip: gzip, zcat, gzcat: zcat };
