// Programs that create, copy, move, and change files: each target is checked as a write.

import { posix } from "node:path";
import { t } from "../../shared/l10n.ts";
import { assessorFromTables, type TablesByFlavor, tablesByFlavor } from "./assessByTable.ts";
import type { Assessment, Assessor, AssessorTable, Invocation, Operand } from "./assessment.ts";
import { isPath, type ParsedFlags, type ProgramTable } from "./flags.ts";

type Checked = Partial<Assessment> & { reason?: string };

const RECURSIVE = "-r -R -a --recursive --archive".split(" ");
const FOLLOWS = "-L -H --dereference".split(" ");

function has({ flags }: ParsedFlags, names: readonly string[]): boolean {
	return names.some((name) => flags.has(name));
}

/** A suffix with a slash puts the backup in another folder. */
function redirectsBackup({ values }: ParsedFlags): boolean {
	return values.some(({ flag, value }) => (flag === "-S" || flag === "--suffix") && value.includes("/"));
}

function copies(read: ParsedFlags, { flavor }: Invocation): Checked {
	const route = copyArgumentsOf(read);
	if (!route || redirectsBackup(read))
		return { reason: t("The destination of the files can't be determined."), operands: writeOperands(read.operands) };
	const whole = has(read, RECURSIVE);
	if (whole && copiesIntoItself(route))
		return { reason: t("The command copies a folder into itself."), operands: writeOperands(read.operands) };
	// Some BSD and busybox versions follow links with `-r`.
	const follow = has(read, FOLLOWS) || (flavor !== "gnu" && read.flags.has("-r"));
	const reach: Operand["reach"] = whole ? { kind: "tree", ...(follow && { follow }) } : { kind: "itself" };
	const sources = route.sources.map((word): Operand => ({ word, use: "read", reach }));
	return { operands: [...sources, ...destinationOperands(route, whole)] };
}

/** A move removes the source, and for a folder everything in it. */
function moves(read: ParsedFlags): Checked {
	const route = copyArgumentsOf(read);
	if (!route || redirectsBackup(read))
		return { reason: t("The destination of the files can't be determined."), operands: writeOperands(read.operands) };
	return { operands: [...writeOperands(route.sources, { kind: "tree" }), ...destinationOperands(route, true)] };
}

/** Permissions to read, write, and run; nothing that makes a file run as another user. */
const PLAIN_MODE = /^(?:0?[0-7]{3}|[ugoa]*(?:[-+=][rwxX]*)+(?:,[ugoa]*(?:[-+=][rwxX]*)+)*)$/;

function isSpecialMode({ values }: ParsedFlags): boolean {
	return values.some(({ flag, value }) => (flag === "-m" || flag === "--mode") && !PLAIN_MODE.test(value));
}

function installs(read: ParsedFlags, call: Invocation): Checked {
	if (isSpecialMode(read))
		return { reason: t("The command changes more than basic file permissions."), operands: writeOperands(read.operands) };
	return has(read, ["-d", "--directory"]) ? { operands: writeOperands(read.operands) } : copies(read, call);
}

function makesFolders(read: ParsedFlags): Checked {
	const operands = read.operands.map((word): Operand => ({ word, use: "create", reach: { kind: "itself" } }));
	return { operands, ...(isSpecialMode(read) && { reason: t("The command changes more than basic file permissions.") }) };
}

function changesModes(read: ParsedFlags): Checked {
	const [mode = "", ...files] = read.operands;
	const recursive = has(read, ["-R", "--recursive"]);
	const operands = writeOperands(files, { kind: recursive ? "tree" : "itself" });
	if (!PLAIN_MODE.test(mode)) return { operands, reason: t("The command changes more than basic file permissions.") };
	return { operands, ...(removesReadAccess(mode, recursive) && { reason: t("The command removes permission to read these files.") }) };
}

/** Without the owner's read permission nobody can read a file; without execute permission, nobody can read a folder's content. */
function removesReadAccess(mode: string, folders: boolean): boolean {
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

function writes(read: ParsedFlags): Checked {
	return { operands: [...writeOperands(read.operands), ...read.reads.map((word): Operand => ({ word, use: "read" }))] };
}

const GNU = "--help --version";

/** Tables by family; `check` determines the targets. */
function mover(flags: Parameters<typeof tablesByFlavor>[1], check: ProgramTable["check"]): TablesByFlavor {
	return tablesByFlavor("tree", flags, check && { check });
}

/** Exported for the check against `--help`. Excludes flags that create links, keep another owner, or run a program. */
export const writingProgramTables: Readonly<Record<string, TablesByFlavor>> = {
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

/** All words except flags, with the program's use of them. */
function everyOperand(words: readonly string[], use: Operand["use"]): Operand[] {
	const end = words.indexOf("--");
	const named = words.filter((word, index) => index > 0 && index !== end && (!word.startsWith("-") || (end > 0 && index > end)));
	return named.map((word) => ({ word, use, reach: { kind: "tree" } }));
}

const makesLinks: Assessor = ({ words }) => ({
	...WRITES,
	asks: t("{0} creates links that can redirect other commands.", words[0] ?? ""),
	line: true,
	operands: everyOperand(words, "write"),
});

const changesOwners: Assessor = ({ words }) => ({
	...WRITES,
	asks: t("{0} changes file ownership.", words[0] ?? ""),
	line: true,
	operands: everyOperand(words, "write"),
});

const deletes: Assessor = ({ words }) => ({
	always: t("{0} deletes or overwrites files.", words[0] ?? ""),
	deletes: true,
	operands: everyOperand(words, "delete"),
});

const all = (names: string, judge: Assessor): AssessorTable => Object.fromEntries(names.split(" ").map((name) => [name, judge]));

export const writingPrograms: AssessorTable = {
	...Object.fromEntries(Object.entries(writingProgramTables).map(([name, tables]) => [name, assessorFromTables(name, tables, WRITES)])),
	...all("ln link symlink", makesLinks),
	...all("chown chgrp", changesOwners),
	...all("rm rmdir unlink shred srm trash trash-put rimraf del erase dd truncate wipefs", deletes),
};

interface CopyArguments {
	sources: readonly string[];
	target: string;
	/** Set if the target is certainly a folder or never treated as one; absent if the disk decides. */
	targetIs?: "folder" | "file";
	/** The source's whole path is recreated below the target. */
	parents: boolean;
	/** Suffixes of the backups of overwritten files. */
	backups: readonly string[];
}

/** Returns undefined without a source and a target. */
function copyArgumentsOf({ flags, values, operands }: ParsedFlags): CopyArguments | undefined {
	const has = (...names: string[]) => names.some((name) => flags.has(name));
	const last = (...names: string[]) => values.findLast(({ flag }) => names.includes(flag))?.value;
	const folder = last("-t", "--target-directory");
	const target = folder ?? operands.at(-1);
	const sources = folder === undefined ? operands.slice(0, -1) : operands;
	if (target === undefined || sources.length === 0) return undefined;
	const keepsBackups = has("-b", "--backup", "-S", "--suffix");
	return {
		sources,
		target,
		...(folder !== undefined && { targetIs: "folder" }),
		...(has("-T", "--no-target-directory") && { targetIs: "file" }),
		parents: has("--parents"),
		backups: keepsBackups ? [last("-S", "--suffix") ?? "~", ".~1~"] : [],
	};
}

/** `whole`: folders are copied or moved with everything in them. */
function destinationOperands(route: CopyArguments, whole: boolean): Operand[] {
	return route.sources.flatMap((source) =>
		namesOf(route, source).flatMap(({ word, within }): Operand[] => {
			const reach = { kind: route.backups.length > 0 ? "tree" : "itself" } as const;
			const copied: Operand = { word, use: "write", reach, ...(whole && { from: source }) };
			return [copied, ...backupsOf(route, word)].map((operand) => (within === undefined ? operand : { ...operand, within }));
		}),
	);
}

/** Copying a folder into itself never ends. */
function copiesIntoItself({ sources, target }: CopyArguments): boolean {
	const into = `${posix.normalize(target)}/`;
	return sources.some((source) => {
		const folder = posix.normalize(source).replace(/\/$/, "");
		return folder === "." || folder.endsWith("..") || into.startsWith(`${folder}/`);
	});
}

function namesOf({ target, targetIs, parents }: CopyArguments, source: string): Pick<Operand, "word" | "within">[] {
	const into = `${target.replace(/\/+$/, "")}/${parents ? source : baseOf(source)}`;
	const endsInDots = baseOf(source).replaceAll(".", "") === "";
	if (targetIs === undefined && !endsInDots) return [{ word: target }, { word: into, within: target }];
	if (endsInDots) return [{ word: target }, { word: into }];
	return [{ word: targetIs === "file" ? target : into }];
}

/** Backups are next to the overwritten files, folders with their content; GNU install 9.1 puts them in the working directory. */
function backupsOf({ backups }: CopyArguments, word: string): Operand[] {
	const names = new Set([word, baseOf(word)].flatMap((name) => backups.map((suffix) => name + suffix)));
	return [...names].map((name) => ({ word: name, use: "write", reach: { kind: "itself" }, from: word }));
}

function baseOf(path: string): string {
	return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

function writeOperands(words: readonly string[], reach: Operand["reach"] = { kind: "itself" }): Operand[] {
	return words.filter(isPath).map((word) => ({ word, use: "write", reach }));
}
