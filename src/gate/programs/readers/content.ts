// Programs that print file content or parts of it.
import { t } from "../../../shared/l10n.ts";
import { type ProgramTables, tablesByFlavor } from "../assessByTable.ts";
import { reading } from "../flags.ts";

const GNU = "--help --version";

export const contentPrograms: ProgramTables = {
	cat: tablesByFlavor("tree", {
		gnu: {
			alone: `-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting ${GNU}`,
		},
		bsd: { alone: "-b -e -l -n -s -t -u -v" },
		busybox: { alone: "-n -b -v -t -e -A" },
	}),
	head: tablesByFlavor("tree", {
		gnu: { alone: `-q -v -z --quiet --silent --verbose --zero-terminated ${GNU}`, text: "-c -n --bytes --lines", numeric: true },
		bsd: { text: "-c -n", numeric: true },
		busybox: { alone: "-q -v", text: "-c -n", numeric: true },
	}),
	tail: tablesByFlavor("tree", {
		gnu: {
			alone: `-f -F -q -v -z --retry --quiet --silent --verbose --zero-terminated ${GNU}`,
			text: "-c -n -s --bytes --lines --max-unchanged-stats --pid --sleep-interval",
			optional: "--follow",
			numeric: true,
		},
		bsd: { alone: "-f -F -q -r -v", text: "-b -c -n", numeric: true },
		busybox: { alone: "-f -F -q -v", text: "-c -n -s", numeric: true },
	}),
	wc: tablesByFlavor("tree", {
		gnu: { alone: `-c -m -l -L -w --bytes --chars --lines --max-line-length --words ${GNU}` },
		bsd: { alone: "-c -l -L -m -w" },
		busybox: { alone: "-c -l -L -m -w" },
	}),
	nl: tablesByFlavor("tree", {
		gnu: {
			alone: `-p --no-renumber ${GNU}`,
			text:
				"-b -d -f -h -i -l -n -s -v -w --body-numbering --section-delimiter --footer-numbering --header-numbering --line-increment " +
				"--join-blank-lines --number-format --number-separator --starting-line-number --number-width",
		},
		bsd: { alone: "-p", text: "-b -d -f -h -i -l -n -s -v -w" },
		busybox: { text: "-b -i -n -s -v -w" },
	}),
	tac: tablesByFlavor("tree", { gnu: { alone: `-b -r --before --regex ${GNU}`, text: "-s --separator" }, busybox: {} }),
	rev: tablesByFlavor("tree", { gnu: { alone: "-h -V --help --version" }, bsd: {}, busybox: {} }),
	fold: tablesByFlavor("tree", {
		gnu: { alone: `-b -s --bytes --spaces ${GNU}`, text: "-w --width", numeric: true },
		bsd: { alone: "-b -s", text: "-w" },
		busybox: { alone: "-b -s", text: "-w" },
	}),
	fmt: tablesByFlavor("tree", {
		gnu: {
			alone: `-c -s -t -u --crown-margin --split-only --tagged-paragraph --uniform-spacing ${GNU}`,
			text: "-g -p -w --goal --prefix --width",
			numeric: true,
		},
		bsd: { alone: "-c -m -n -p -s", text: "-d -l -t -w" },
	}),
	expand: tablesByFlavor("tree", {
		gnu: { alone: `-i --initial ${GNU}`, text: "-t --tabs", numeric: true },
		bsd: { text: "-t", numeric: true },
		busybox: { alone: "-i", text: "-t" },
	}),
	unexpand: tablesByFlavor("tree", {
		gnu: { alone: `-a --all --first-only ${GNU}`, text: "-t --tabs" },
		bsd: { alone: "-a", text: "-t" },
		busybox: { alone: "-a -f", text: "-t" },
	}),
	pr: tablesByFlavor("tree", {
		gnu: {
			alone:
				"-a -c -d -F -f -J -m -r -t -T -v --across --show-control-chars --double-space --form-feed --join-lines --merge " +
				`--no-file-warnings --omit-header --omit-pagination --show-nonprinting ${GNU}`,
			text: "-D -h -l -N -o -w -W --columns --date-format --header --length --first-line-number --indent --width --page-width",
			optional: "-e -i -n -s -S --expand-tabs --output-tabs --number-lines --separator --sep-string",
			numeric: true,
		},
		bsd: { alone: "-a -d -F -f -m -r -t", text: "-h -l -o -w", optional: "-e -i -n -s", numeric: true },
	}),
	column: tablesByFlavor("tree", {
		gnu: {
			alone:
				"-t -d -e -L -J -x -h -V --table --table-noheadings --table-header-repeat --keep-empty-lines --json --fillrows --help --version",
			text:
				"-n -O -N -l -E -H -R -T -W -r -i -p -c -o -s --table-name --table-order --table-columns --table-columns-limit " +
				"--table-noextreme --table-hide --table-right --table-truncate --table-wrap --tree --tree-id --tree-parent --output-width " +
				"--output-separator --separator",
		},
		bsd: { alone: "-t -x", text: "-c -l -s" },
	}),
	/** Its first operand is text. */
	look: tablesByFlavor(
		"tree",
		{
			gnu: { alone: "-a -d -f -h -V --alternative --alphanum --ignore-case --help --version", text: "-t --terminate" },
			bsd: { alone: "-d -f", text: "-t" },
		},
		{ check: ({ operands }) => ({ operands: reading(operands.slice(1), { kind: "tree" }) }) },
	),
	tsort: tablesByFlavor("tree", { gnu: { alone: GNU }, bsd: { alone: "-d -l -q" }, busybox: {} }),
	sort: tablesByFlavor("tree", {
		gnu: {
			alone:
				"-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z --ignore-leading-blanks --dictionary-order --ignore-case " +
				"--general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse " +
				`--version-sort --debug --merge --stable --unique --zero-terminated ${GNU}`,
			text: "-k -S -t --sort --batch-size --key --buffer-size --field-separator --parallel",
			optional: "--check",
		},
		bsd: {
			alone:
				"-b -c -C -d -f -g -h -i -M -m -n -R -r -s -u -V -z --ignore-leading-blanks --dictionary-order --ignore-case --numeric-sort " +
				"--human-numeric-sort --reverse --version-sort --stable --unique",
			text: "-k -S -t --key --field-separator",
			anywhere: true,
		},
		busybox: { alone: "-b -c -d -f -g -h -i -M -n -r -s -u -V -z", text: "-k -t" },
	}),
	uniq: tablesByFlavor(
		"tree",
		{
			gnu: {
				alone: `-c -d -D -i -u -z --count --repeated --ignore-case --unique --zero-terminated ${GNU}`,
				text: "-f -s -w --skip-fields --skip-chars --check-chars",
				optional: "--all-repeated --group",
			},
			bsd: { alone: "-c -d -i -u", text: "-f -s" },
			busybox: { alone: "-c -d -i -u -z", text: "-f -s -w" },
		},
		{ check: ({ operands }) => (operands.length > 1 ? { reason: t("{0} writes to the file in its second argument.", "uniq") } : {}) },
	),
	cut: tablesByFlavor("tree", {
		gnu: {
			alone: `-n -s -z --complement --only-delimited --zero-terminated ${GNU}`,
			text: "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
		},
		bsd: { alone: "-n -s -w", text: "-b -c -d -f" },
		busybox: { alone: "-n -s", text: "-b -c -d -f" },
	}),
	paste: tablesByFlavor("tree", {
		gnu: { alone: `-s -z --serial --zero-terminated ${GNU}`, text: "-d --delimiters" },
		bsd: { alone: "-s", text: "-d" },
		busybox: { alone: "-s", text: "-d" },
	}),
	join: tablesByFlavor("tree", {
		gnu: {
			alone: `-i -z --check-order --nocheck-order --header --ignore-case --zero-terminated ${GNU}`,
			text: "-a -e -j -o -t -v -1 -2",
		},
		bsd: { text: "-a -e -j -o -t -v -1 -2" },
	}),
	comm: tablesByFlavor("tree", {
		gnu: { alone: `-1 -2 -3 -z --check-order --nocheck-order --total --zero-terminated ${GNU}`, text: "--output-delimiter" },
		bsd: { alone: "-1 -2 -3 -i" },
		busybox: { alone: "-1 -2 -3" },
	}),
	shuf: tablesByFlavor("tree", {
		gnu: { alone: `-e -r -z --echo --repeat --zero-terminated ${GNU}`, text: "-i -n --input-range --head-count" },
		busybox: { alone: "-e -z", text: "-i -n" },
	}),
	numfmt: tablesByFlavor("text", {
		gnu: {
			alone: `--debug --grouping -z --zero-terminated ${GNU}`,
			text: "-d --delimiter --field --format --from --from-unit --invalid --padding --round --suffix --to --to-unit",
			optional: "--header",
		},
	}),
};
