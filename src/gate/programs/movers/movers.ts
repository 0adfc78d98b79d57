// Programs that create, copy, move and mark files: each target is judged as a write of its own.
import { t } from "../../../shared/l10n.ts";
import type { ProgramTable, ReadFlags } from "../flags.ts";
import type { Call, Judge, Judgement, JudgeTable, Operand } from "../judgement.ts";
import { type ByFlavor, byFlavor, judgeBy } from "../table.ts";
import { intoItself, landings, routeOf, written } from "./landings.ts";

type Checked = Partial<Judgement> & { reason?: string };

const RECURSIVE = "-r -R -a --recursive --archive".split(" ");
const FOLLOWS = "-L -H --dereference".split(" ");

function has({ flags }: ReadFlags, names: readonly string[]): boolean {
	return names.some((name) => flags.has(name));
}

/** A suffix with a slash leads the backup elsewhere. */
function strangeSuffix({ values }: ReadFlags): boolean {
	return values.some(({ flag, value }) => (flag === "-S" || flag === "--suffix") && value.includes("/"));
}

function copies(read: ReadFlags, { flavor }: Call): Checked {
	const route = routeOf(read);
	if (!route || strangeSuffix(read)) return { reason: t("it cannot be told where its files land"), operands: written(read.operands) };
	const whole = has(read, RECURSIVE);
	if (whole && intoItself(route)) return { reason: t("it copies a folder into itself"), operands: written(read.operands) };
	// Some of BSD and busybox follow links with `-r`.
	const follow = has(read, FOLLOWS) || (flavor !== "gnu" && read.flags.has("-r"));
	const reach: Operand["reach"] = whole ? { kind: "tree", ...(follow && { follow }) } : { kind: "itself" };
	const sources = route.sources.map((word): Operand => ({ word, use: "read", reach }));
	return { operands: [...sources, ...landings(route, whole)] };
}

/** What is moved is gone from where it was: with a folder goes all that is in it. */
function moves(read: ReadFlags): Checked {
	const route = routeOf(read);
	if (!route || strangeSuffix(read)) return { reason: t("it cannot be told where its files land"), operands: written(read.operands) };
	return { operands: [...written(route.sources, { kind: "tree" }), ...landings(route, true)] };
}

/** Rights to read, write and run; none that makes a file run as somebody else. */
const PLAIN_MODE = /^(?:0?[0-7]{3}|[ugoa]*(?:[-+=][rwxX]*)+(?:,[ugoa]*(?:[-+=][rwxX]*)+)*)$/;

function strangeMode({ values }: ReadFlags): boolean {
	return values.some(({ flag, value }) => (flag === "-m" || flag === "--mode") && !PLAIN_MODE.test(value));
}

function installs(read: ReadFlags, call: Call): Checked {
	if (strangeMode(read)) return { reason: t("it changes more than the plain rights to a file"), operands: written(read.operands) };
	return has(read, ["-d", "--directory"]) ? { operands: written(read.operands) } : copies(read, call);
}

function makesFolders(read: ReadFlags): Checked {
	const operands = read.operands.map((word): Operand => ({ word, use: "create", reach: { kind: "itself" } }));
	return { operands, ...(strangeMode(read) && { reason: t("it changes more than the plain rights to a file") }) };
}

function changesModes(read: ReadFlags): Checked {
	const [mode = "", ...files] = read.operands;
	const recursive = has(read, ["-R", "--recursive"]);
	const operands = written(files, { kind: recursive ? "tree" : "itself" });
	if (!PLAIN_MODE.test(mode)) return { operands, reason: t("it changes more than the plain rights to a file") };
	return { operands, ...(locks(mode, recursive) && { reason: t("it takes away the right to read what is there") }) };
}

/** Nobody can read a file without its owner's right to, nor what is in a folder without the right to enter it. */
function locks(mode: string, folders: boolean): boolean {
	const needed = folders ? ["r", "x"] : ["r"];
	const digits = /^0?([0-7])\d\d$/.exec(mode);
	if (digits) return needed.some((right) => (Number(digits[1]) & (right === "r" ? 4 : 1)) === 0);
	return mode.split(",").some((clause) => {
		const [, who = "", changes = ""] = /^([ugoa]*)(.*)$/.exec(clause) ?? [];
		if (who !== "" && !/[ua]/.test(who)) return false;
		return [...changes.matchAll(/([-+=])([rwxX]*)/g)].some(([, how, rights = ""]) =>
			needed.some((right) => {
				const named = rights.includes(right) || (right === "x" && rights.includes("X"));
				return (how === "-" && named) || (how === "=" && !named);
			}),
		);
	});
}

function writes(read: ReadFlags): Checked {
	return { operands: [...written(read.operands), ...read.reads.map((word): Operand => ({ word, use: "read" }))] };
}

const GNU = "--help --version";

/** Flags of `tables` by family; `check` tells the targets. */
function mover(flags: Parameters<typeof byFlavor>[1], check: ProgramTable["check"]): ByFlavor {
	return byFlavor("tree", flags, check && { check });
}

/** Exported for the check against `--help`. Left out: what makes links, keeps another's rights or runs a program. */
export const moverTables: Readonly<Record<string, ByFlavor>> = {
	cp: mover(
		{
			gnu: {
				alone:
					"-a -b -d -f -H -i -L -n -p -P -r -R -T -u -v -x --archive --attributes-only --dereference --force --interactive " +
					"--no-clobber --no-dereference --no-target-directory --one-file-system --parents --recursive --remove-destination " +
					`--strip-trailing-slashes --update --verbose ${GNU}`,
				text: "-S -t --no-preserve --sparse --suffix --target-directory",
				optional: "--backup --preserve --reflink",
			},
			bsd: { alone: "-a -f -H -i -L -n -p -P -r -R -v -x" },
			busybox: { alone: "-a -d -f -H -i -L -n -p -P -r -R -T -u -v", text: "-t" },
		},
		copies,
	),
	mv: mover(
		{
			gnu: {
				alone: `-b -f -i -n -T -u -v --force --interactive --no-clobber --no-target-directory --strip-trailing-slashes --update --verbose ${GNU}`,
				text: "-S -t --suffix --target-directory",
				optional: "--backup",
			},
			bsd: { alone: "-f -h -i -n -v" },
			busybox: { alone: "-f -i -n -T -u -v", text: "-t" },
		},
		moves,
	),
	install: mover(
		{
			gnu: {
				alone: `-b -c -C -d -D -p -T -v --compare --directory --no-target-directory --preserve-timestamps --verbose ${GNU}`,
				text: "-m -S -t --mode --suffix --target-directory",
				optional: "--backup",
			},
			bsd: { alone: "-C -c -d -p -v", text: "-m" },
			busybox: { alone: "-c -d -D -p", text: "-m -t" },
		},
		installs,
	),
	mkdir: mover(
		{
			gnu: { alone: `-p -v --parents --verbose ${GNU}`, text: "-m --mode" },
			bsd: { alone: "-p -v", text: "-m" },
			busybox: { alone: "-p", text: "-m" },
		},
		makesFolders,
	),
	touch: mover(
		{
			gnu: { alone: `-a -c -f -h -m --no-create --no-dereference ${GNU}`, text: "-d -t --date --time", reads: "-r --reference" },
			bsd: { alone: "-a -c -f -h -m", text: "-A -d -t", reads: "-r" },
			busybox: { alone: "-a -c -h -m", text: "-d -t", reads: "-r" },
		},
		writes,
	),
	tee: mover(
		{
			gnu: { alone: `-a -i -p --append --ignore-interrupts ${GNU}`, optional: "--output-error" },
			bsd: { alone: "-a -i" },
			busybox: { alone: "-a -i" },
		},
		writes,
	),
	chmod: mover(
		{
			gnu: { alone: `-c -f -R -v --changes --preserve-root --quiet --recursive --silent --verbose ${GNU}` },
			bsd: { alone: "-f -h -R -v" },
			busybox: { alone: "-c -f -R -v" },
		},
		changesModes,
	),
};

const WRITES = { permissions: ["WriteFiles", "CreateFiles"] } as const;

/** Everything but flags, as what the program does to it. */
function everyOperand(words: readonly string[], use: Operand["use"]): Operand[] {
	const end = words.indexOf("--");
	const named = words.filter((word, index) => index > 0 && index !== end && (!word.startsWith("-") || (end > 0 && index > end)));
	return named.map((word) => ({ word, use, reach: { kind: "tree" } }));
}

const makesLinks: Judge = ({ words }) => ({
	...WRITES,
	asks: t("{0} makes links, which lead other commands elsewhere", words[0] ?? ""),
	line: true,
	operands: everyOperand(words, "write"),
});

const changesOwners: Judge = ({ words }) => ({
	...WRITES,
	asks: t("{0} changes who owns files", words[0] ?? ""),
	line: true,
	operands: everyOperand(words, "write"),
});

const deletes: Judge = ({ words }) => ({
	always: t("{0} deletes or overwrites, and deleting always asks", words[0] ?? ""),
	deletes: true,
	operands: everyOperand(words, "delete"),
});

const all = (names: string, judge: Judge): JudgeTable => Object.fromEntries(names.split(" ").map((name) => [name, judge]));

export const movers: JudgeTable = {
	...Object.fromEntries(Object.entries(moverTables).map(([name, tables]) => [name, judgeBy(name, tables, WRITES)])),
	...all("ln link symlink", makesLinks),
	...all("chown chgrp", changesOwners),
	...all("rm rmdir unlink shred srm trash trash-put rimraf del erase dd truncate wipefs", deletes),
};
