// Programs that print their own text: their arguments, the time, and facts about this computer and its users.
import { t } from "../../../shared/l10n.ts";
import { forAllFlavors, type ProgramTables, tablesByFlavor } from "../assessByTable.ts";
import type { Invocation } from "../assessment.ts";
import type { ParsedFlags, ProgramTable } from "../flags.ts";

const GNU = "--help --version";
const ANY_WORDS = { anyWords: true } as const;

/** Conversions that print their arguments, with at most four digits each for width and precision. */
const CONVERSION = /%(?:%|[-+ #0']*\d{0,4}(?:\.\d{0,4})?[hjlLtz]*[aAbcdeEfFgGiouqQsxX])/g;

/** In bash, `%n` stores a count in the given variable, `*` takes a width from the arguments, and `-v` stores the result. */
export const printfTable: ProgramTable = {
	operands: "text",
	flags: { wordsOnly: true },
	check: ({ operands }, { unknown }) => {
		const place = operands[0] === "--" ? 1 : 0;
		const format = operands[place] ?? "";
		if (place === 0 && format.startsWith("-")) return { reason: t("printf -v sets a variable.") };
		if (format.replace(CONVERSION, "").includes("%")) return { reason: t("This printf format may set a variable or print indefinitely.") };
		return format !== "" && !unknown.has(place + 1) ? { anyWords: true } : {};
	},
};

export const anyWordsTable: ProgramTable = { operands: "text", flags: { wordsOnly: true }, anyWords: true };

function setsTheClock({ operands, flags }: ParsedFlags, { flavor }: Invocation): { reason?: string } {
	const shows = flavor === "bsd" && flags.has("-j");
	return shows || operands.every((operand) => operand.startsWith("+")) ? {} : { reason: t("date may set the system clock.") };
}

const LONGEST_SLEEP = 3600;
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

function sleepsLong({ operands }: ParsedFlags): { reason?: string } {
	const seconds = operands.map((operand) => {
		const [, count, unit = "s"] = /^(\d{1,6}(?:\.\d+)?)([smhd])?$/.exec(operand) ?? [];
		return Number(count) * (SECONDS[unit] ?? Number.NaN);
	});
	const all = seconds.reduce((sum, each) => sum + each, 0);
	return all <= LONGEST_SLEEP ? {} : { reason: t("sleep may wait indefinitely.") };
}

export const utilityPrograms: ProgramTables = {
	printf: forAllFlavors(printfTable),
	echo: forAllFlavors(anyWordsTable),
	true: forAllFlavors(anyWordsTable),
	false: forAllFlavors(anyWordsTable),
	expr: forAllFlavors(anyWordsTable),
	basename: tablesByFlavor(
		"text",
		{
			gnu: { alone: `-a -z --multiple --zero ${GNU}`, text: "-s --suffix" },
			bsd: { alone: "-a", text: "-s" },
			busybox: { alone: "-a", text: "-s" },
		},
		ANY_WORDS,
	),
	dirname: tablesByFlavor("text", { gnu: { alone: `-z --zero ${GNU}` }, bsd: {}, busybox: {} }, ANY_WORDS),
	pwd: tablesByFlavor("none", {
		gnu: { alone: `-L -P --logical --physical ${GNU}` },
		bsd: { alone: "-L -P" },
		busybox: { alone: "-L -P" },
	}),
	seq: tablesByFlavor("text", {
		gnu: { alone: `-w --equal-width ${GNU}`, text: "-f -s --format --separator", numeric: true },
		bsd: { alone: "-w", text: "-f -s -t", numeric: true },
		busybox: { alone: "-w", text: "-s", numeric: true },
	}),
	tr: tablesByFlavor("text", {
		gnu: { alone: `-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1 ${GNU}` },
		bsd: { alone: "-c -C -d -s -u" },
		busybox: { alone: "-c -C -d -s" },
	}),
	factor: tablesByFlavor("text", { gnu: { alone: GNU }, busybox: {} }),
	cal: tablesByFlavor("text", { gnu: { alone: "-1 -3 -j -y" }, bsd: { alone: "-3 -h -j -y" }, busybox: { alone: "-j -y" } }),
	sleep: tablesByFlavor("text", { gnu: { alone: GNU }, bsd: {}, busybox: {} }, { check: sleepsLong }),
	date: tablesByFlavor(
		"text",
		{
			gnu: {
				alone: `-R -u --debug --resolution --rfc-email --utc --universal ${GNU}`,
				text: "-d --date --rfc-3339",
				optional: "-I --iso-8601",
				reads: "-f -r --file --reference",
			},
			bsd: { alone: "-j -n -R -u", text: "-f -v -z", optional: "-I", reads: "-r" },
			busybox: { alone: "-R -u", text: "-d -D", optional: "-I", reads: "-r" },
		},
		{ check: setsTheClock },
	),
	which: tablesByFlavor("text", { gnu: { alone: "-a" }, bsd: { alone: "-a -s" }, busybox: { alone: "-a" } }),
	getconf: tablesByFlavor("text", { gnu: { alone: "-a" }, bsd: { alone: "-a" } }),
	locale: tablesByFlavor("text", {
		gnu: { alone: "-a -c -k -m -v -V --all-locales --category-name --keyword-name --charmaps --verbose --help --version" },
		bsd: { alone: "-a -c -k -m" },
	}),
	/** Commands run with a clean environment. */
	printenv: tablesByFlavor("text", { gnu: { alone: `-0 --null ${GNU}` }, bsd: {}, busybox: {} }),
	env: tablesByFlavor("none", { gnu: { alone: `-0 --null ${GNU}` }, bsd: {}, busybox: {} }),
	whoami: tablesByFlavor("none", { gnu: { alone: GNU }, bsd: {}, busybox: {} }),
	logname: tablesByFlavor("none", { gnu: { alone: GNU }, bsd: {}, busybox: {} }),
	tty: tablesByFlavor("none", { gnu: { alone: `-s --silent --quiet ${GNU}` }, bsd: { alone: "-s" }, busybox: { alone: "-s" } }),
	/** On macOS, it runs another program. */
	arch: tablesByFlavor("none", { gnu: { alone: GNU }, bsd: {}, busybox: {} }),
	nproc: tablesByFlavor("none", {
		gnu: { alone: `--all ${GNU}`, text: "--ignore" },
		bsd: { alone: "--all", text: "--ignore" },
		busybox: { alone: "--all", text: "--ignore" },
	}),
	id: tablesByFlavor("text", {
		gnu: { alone: `-a -g -G -n -r -u -z -Z --context --group --groups --name --real --user --zero ${GNU}` },
		bsd: { alone: "-a -F -g -G -n -p -P -r -u" },
		busybox: { alone: "-g -G -n -r -u" },
	}),
	groups: tablesByFlavor("text", { gnu: { alone: GNU }, bsd: {}, busybox: {} }),
	uname: tablesByFlavor("none", {
		gnu: {
			alone:
				"-a -i -m -n -o -p -r -s -v --all --hardware-platform --machine --nodename --operating-system --processor --kernel-release " +
				`--kernel-name --kernel-version ${GNU}`,
		},
		bsd: { alone: "-a -i -K -m -n -o -p -r -s -U -v" },
		busybox: { alone: "-a -i -m -n -o -p -r -s -v" },
	}),
	lscpu: tablesByFlavor("none", {
		gnu: { alone: "-a -b -B -c -J -x -y -h -V --all --online --bytes --offline --json --hex --physical --output-all --help --version" },
	}),
	hostname: tablesByFlavor("none", { gnu: { alone: "-I -s --all-ip-addresses --short" }, bsd: { alone: "-s" }, busybox: { alone: "-s" } }),
	uptime: tablesByFlavor("none", { gnu: { alone: "-h -p -s -V --help --pretty --since --version" }, bsd: {}, busybox: { alone: "-s" } }),
	free: tablesByFlavor("none", {
		gnu: {
			alone:
				"-b -g -h -k -l -m -t -v -V -w --gibi --giga --human --kibi --kilo --lohi --mebi --mega --si --tebi --tera --total --committed " +
				"--wide --help --version",
		},
		busybox: { alone: "-b -g -h -k -m -t" },
	}),
	/** A file operand is read for login records. */
	who: tablesByFlavor("tree", {
		gnu: {
			alone:
				"-a -b -d -H -l -m -p -q -r -s -t -T -u -w --all --boot --count --dead --heading --login --message --mesg --process --runlevel " +
				`--short --time --users --writable ${GNU}`,
		},
		bsd: { alone: "-a -b -d -H -l -m -p -q -r -s -t -T -u" },
		busybox: { alone: "-a -H" },
	}),
	users: tablesByFlavor("tree", { gnu: { alone: GNU }, bsd: {}, busybox: {} }),
	/** Exists on macOS only. */
	sw_vers: tablesByFlavor("none", {
		bsd: { alone: "-productName -productVersion -buildVersion --productName --productVersion --buildVersion", oneDash: true },
	}),
	"xcode-select": tablesByFlavor("none", { bsd: { alone: "-p -v -h --print-path --version --help" } }),
};
