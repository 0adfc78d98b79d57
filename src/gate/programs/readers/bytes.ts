// Programs that print bytes, checksums, and encodings of files.
import { t } from "../../../shared/l10n.ts";
import { forAllFlavors, type ProgramTables, tablesByFlavor } from "../assessByTable.ts";
import type { Assessment, Operand } from "../assessment.ts";
import { isPath, type ParsedFlags, type ProgramTable, reading } from "../flags.ts";

const GNU = "--help --version";

/** Excludes `-c`, because a checksum list names files of its own. */
const sums = tablesByFlavor("tree", {
	gnu: { alone: `-b -t -z --binary --text --tag --zero ${GNU}` },
	bsd: { alone: "-b -q -r -t" },
	busybox: { alone: "-b -t" },
});

const encodings = tablesByFlavor("tree", {
	gnu: { alone: `-d -i --decode --ignore-garbage ${GNU}`, text: "-w --wrap" },
	bsd: { alone: "-d -D --decode", text: "-b -w --break --wrap", reads: "-i --input" },
	busybox: { alone: "-d", text: "-w" },
});

const hexdump = tablesByFlavor("tree", {
	gnu: {
		alone:
			"-b -c -C -d -o -x -v -h -V --one-byte-octal --one-byte-char --canonical --two-bytes-decimal --two-bytes-octal --two-bytes-hex " +
			"--no-squeezing --help --version",
		text: "-e -n -s --format --length --skip",
		optional: "-L --color",
		reads: "-f --format-file",
	},
	bsd: { alone: "-b -c -C -d -o -x -v", text: "-e -n -s", reads: "-f" },
	busybox: { alone: "-b -c -C -d -o -x -v", text: "-e -n -s", reads: "-f" },
});

/** Letters cannot be combined: the text after a letter is its value. */
const xxd: ProgramTable = {
	operands: "tree",
	flags: { alone: "-a -b -C -d -e -E -h -i -p -ps -r -u -v", text: "-c -g -l -n -o -s", oneDash: true, stops: true },
	check: ({ operands }) => (operands.length > 1 ? { reason: t("{0} writes to the file in its second argument.", "xxd") } : {}),
};

/** GNU and LLVM binary tools read further arguments from a file given with `@`. */
const binary = (flags: ProgramTable["flags"]): ProgramTable => ({
	operands: "tree",
	flags,
	check: (_, { words: [program = "", ...rest] }) =>
		rest.some((word) => word.startsWith("@")) ? { reason: t("{0} reads more arguments from a file.", program) } : {},
});

export const bytePrograms: ProgramTables = {
	/** Excludes `-o`, which writes. */
	iconv: tablesByFlavor(
		"tree",
		{
			gnu: { alone: "-c -l -s -V --list --silent --verbose --help --usage --version", text: "-f -t --from-code --to-code" },
			bsd: { alone: "-c -l -s", text: "-f -t" },
		},
		{
			check: ({ values }) => {
				const named = values.every(({ value }) => /^[\w.:-]*(?:\/\/(?:TRANSLIT|IGNORE)?)*$/i.test(value));
				return named ? {} : { reason: t("{0} may read a character set from a file.", "iconv") };
			},
		},
	),
	xxd: forAllFlavors(xxd),
	hexdump,
	hd: hexdump,
	od: tablesByFlavor("tree", {
		gnu: {
			alone: `-a -b -c -d -f -i -l -o -s -v -x --output-duplicates ${GNU}`,
			text: "-A -j -N -S -t --address-radix --endian --skip-bytes --read-bytes --format",
			optional: "-w --strings --width",
		},
		bsd: { alone: "-a -b -c -d -D -e -F -f -H -h -I -i -L -l -O -o -s -v -X -x", text: "-A -j -N -t" },
		busybox: { alone: "-a -b -c -d -f -h -i -l -o -s -v -x", text: "-A -j -N -t" },
	}),
	base64: encodings,
	base32: encodings,
	cksum: tablesByFlavor("tree", { gnu: { alone: GNU }, bsd: { text: "-o" }, busybox: {} }),
	sum: tablesByFlavor("tree", { gnu: { alone: `-r -s --sysv ${GNU}` }, bsd: {}, busybox: { alone: "-r -s" } }),
	...Object.fromEntries("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum".split(" ").map((name) => [name, sums])),
	b2sum: tablesByFlavor("tree", { gnu: { alone: `-b -t -z --binary --text --tag --zero ${GNU}`, text: "-l --length" } }),
	shasum: forAllFlavors({
		operands: "tree",
		flags: { alone: "-b -t -U -0 -h -v --tag --text --binary --UNIVERSAL --01 --help --version", text: "-a --algorithm", anywhere: true },
	}),
	md5: tablesByFlavor("tree", { bsd: { alone: "-n -q -r", text: "-s" } }),
	strings: {
		gnu: binary({
			alone: "-a -f -h -o -v -V -w --all --data --print-file-name --include-all-whitespace --help --version",
			text: "-e -n -s -t --bytes --encoding --output-separator --radix",
			numeric: true,
		}),
		bsd: binary({ alone: "-a -o", text: "-n -t", numeric: true }),
		busybox: binary({ alone: "-a -f -o", text: "-n -t" }),
	},
	nm: {
		gnu: binary({
			alone:
				"-a -A -B -C -D -g -h -j -n -o -p -P -r -s -S -u -V --debug-syms --print-file-name --dynamic --extern-only --just-symbols " +
				"--numeric-sort --no-sort --portability --reverse-sort --print-armap --print-size --size-sort --special-syms --undefined-only " +
				"--defined-only --no-demangle --help --version",
			text: "-f -t --format --radix",
			optional: "--demangle",
		}),
		bsd: binary({ alone: "-a -A -g -j -m -n -o -p -P -r -u -U -x" }),
	},
	objdump: {
		gnu: binary({
			alone:
				"-a -d -D -f -h -H -i -p -r -R -s -t -T -v -w -x -z --archive-headers --disassemble-all --file-headers --section-headers " +
				"--private-headers --reloc --dynamic-reloc --full-contents --syms --dynamic-syms --wide --all-headers --disassemble-zeroes " +
				"--no-addresses --prefix-addresses --help --version",
			text: "-j -m -M --section --architecture --disassembler-options --start-address --stop-address --insn-width",
			optional: "-C --demangle",
		}),
	},
	readelf: {
		gnu: binary({
			alone:
				"-a -A -c -d -D -e -g -h -H -I -l -n -r -s -S -t -u -v -V -W --all --file-header --program-headers --segments " +
				"--section-headers --sections --section-groups --section-details --headers --syms --symbols --dyn-syms --notes --relocs " +
				"--unwind --dynamic --version-info --arch-specific --archive-index --use-dynamic --histogram --wide --help --version",
			text: "-p -R -x --string-dump --relocated-dump --hex-dump",
		}),
	},
	size: { gnu: binary({ alone: "-A -B -d -h -o -t -v -V -x" }), bsd: binary({ alone: "-l -m -x" }) },
};

function comparedOperands({ operands, reads, values, flags }: ParsedFlags): Partial<Assessment> {
	const listedFiles = values.filter(({ flag }) => flag === "--from-file" || flag === "--to-file").map(({ value }) => value);
	const reach = { kind: "tree", ...(!flags.has("--no-dereference") && { follow: true }) } as const;
	const folders = [...operands, ...listedFiles].filter(isPath).map((word): Operand => ({ word, use: "read", reach }));
	return { operands: [...reads.map((word): Operand => ({ word, use: "read" })), ...folders] };
}

const check: Partial<ProgramTable> = { check: comparedOperands };

export const comparePrograms: ProgramTables = {
	/** Numbers after the files are offsets. */
	cmp: tablesByFlavor("tree", {
		gnu: {
			alone: "-b -l -s -v --print-bytes --verbose --quiet --silent --help --version",
			text: "-i -n --ignore-initial --bytes",
		},
		bsd: { alone: "-b -h -l -s -x -z", text: "-i -n" },
		busybox: { alone: "-l -s", text: "-n" },
	}),
	diff: tablesByFlavor(
		"tree",
		{
			gnu: {
				alone:
					"-a -b -B -c -d -e -E -i -n -N -p -q -r -s -t -T -u -v -w -y -Z --normal --brief --report-identical-files --ed --rcs " +
					"--side-by-side --left-column --suppress-common-lines --show-c-function --expand-tabs --initial-tab --suppress-blank-empty " +
					"--recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case " +
					"--ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines " +
					"--text --strip-trailing-cr --minimal --speed-large-files --help --version",
				text:
					"-C -D -F -I -L -S -U -W -x --width --show-function-line --label --tabsize --exclude --starting-file --ignore-matching-lines " +
					"--ifdef --line-format --horizon-lines --palette --from-file --to-file",
				optional: "--context --unified --color",
				reads: "-X --exclude-from",
				numeric: true,
			},
			bsd: {
				alone:
					"-a -b -B -c -d -e -i -n -N -p -q -r -s -t -T -u -w -y --brief --report-identical-files --side-by-side --recursive --new-file " +
					"--ignore-case --ignore-space-change --ignore-all-space --ignore-blank-lines --text --strip-trailing-cr --minimal",
				text: "-C -I -L -S -U -W -x --width --label --exclude --ignore-matching-lines",
				optional: "--context --unified --color",
				reads: "-X --exclude-from",
				anywhere: true,
			},
			busybox: { alone: "-a -b -B -d -i -N -q -r -s -t -T -u -w", text: "-L -S -U" },
		},
		check,
	),
};

const TO_STDOUT = "-c -l -t --stdout --to-stdout --list --test".split(" ");

/** Follows links below a folder when printing. */
const unpacks = ({ operands }: ParsedFlags) => ({ operands: reading(operands, { kind: "tree", follow: true }) });

function prints(read: ParsedFlags): Partial<Assessment> & { reason?: string } {
	if (TO_STDOUT.some((flag) => read.flags.has(flag))) return unpacks(read);
	return { reason: t("The command replaces the files that it compresses or decompresses.") };
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
