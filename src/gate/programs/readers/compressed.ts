// Prints what is in gzip files, without unpacking anything to the disk.
import { t } from "../../../l10n.ts";
import type { ReadFlags } from "../flags.ts";
import { byFlavor, type Programs } from "../table.ts";

const NAMES_ITS_OUTPUT = "-c -l -t --stdout --to-stdout --list --test".split(" ");

function prints({ flags }: ReadFlags): { reason?: string } {
	return NAMES_ITS_OUTPUT.some((flag) => flags.has(flag)) ? {} : { reason: t("it replaces the files that it packs or unpacks") };
}

const gzip = byFlavor(
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

const zcat = byFlavor("tree", {
	gnu: {
		alone: "-f -l -q -r -t -v --force --list --quiet --recursive --test --verbose --help --version",
		text: "-S --suffix",
	},
	bsd: { alone: "-f" },
	busybox: { alone: "-f" },
});

export const compressed: Programs = { gzip, gunzip: gzip, zcat, gzcat: zcat };
