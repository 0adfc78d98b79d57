// Compares files: `cmp`, `diff`. Links below a folder are followed, so their targets are read.
import { isPath, type ParsedFlags, type ProgramTable } from "../flags.ts";
import type { Assessment, Operand } from "../judgement.ts";
import { type ProgramTables, tablesByFlavor } from "../table.ts";

function compared({ operands, reads, values, flags }: ParsedFlags): Partial<Assessment> {
	const among = values.filter(({ flag }) => flag === "--from-file" || flag === "--to-file").map(({ value }) => value);
	const reach = { kind: "tree", ...(!flags.has("--no-dereference") && { follow: true }) } as const;
	const folders = [...operands, ...among].filter(isPath).map((word): Operand => ({ word, use: "read", reach }));
	return { operands: [...reads.map((word): Operand => ({ word, use: "read" })), ...folders] };
}

const check: Partial<ProgramTable> = { check: compared };

export const comparePrograms: ProgramTables = {
	/** Numbers behind the files are places in them. */
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
