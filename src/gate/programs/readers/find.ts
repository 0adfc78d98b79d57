// `find`, whose flags are tests of one dash each and whose operands come first.
import type { ProgramFlavor } from "../../../core/ports/workspace.ts";
import { t } from "../../../shared/l10n.ts";
import { isPath, reading } from "../flags.ts";
import type { Assessor, Operand } from "../judgement.ts";

/** Tests that stand alone, and tests that take a word. Everything that runs, writes or deletes is left out. */
interface Tests {
	alone: string;
	takes: string;
	/** Before the first path: letters, standing together where they take no word. */
	leading: RegExp;
}

/** Tests that look at another file. */
const COMPARED = /^-(?:[ac]?newer|mnewer|samefile)$/;

const POSIX = {
	alone: "( ) ! -a -o -print -prune -depth -nouser -nogroup -xdev",
	takes: "-name -path -perm -type -links -user -group -size -atime -ctime -mtime -newer",
};

/** Exported for the check against `find --help`. */
export const findTests: Readonly<Record<ProgramFlavor, Tests>> = {
	gnu: {
		alone: `${POSIX.alone} , -not -and -or -daystart -follow -d -mount -noleaf -nowarn -warn -empty -false -true -readable -writable -executable -print0 -ls -quit`,
		takes:
			`${POSIX.takes} -regextype -maxdepth -mindepth -amin -anewer -cmin -cnewer -fstype -gid -ilname -iname -inum -iwholename -ipath ` +
			"-iregex -lname -mmin -regex -wholename -uid -used -xtype -samefile -printf -newermt -newerat -newerct",
		leading: /^-(?:[HLP]|O\d)$/,
	},
	bsd: {
		alone: `${POSIX.alone} -not -and -or -false -follow -true -d -empty -mount -print0 -ls -quit -depth`,
		takes:
			`${POSIX.takes} -maxdepth -mindepth -amin -anewer -cmin -cnewer -flags -fstype -gid -ilname -iname -inum -ipath -iregex -iwholename ` +
			"-lname -mmin -mnewer -regex -samefile -uid -wholename -newermt",
		leading: /^-[HLPEXdsx]+$/,
	},
	busybox: {
		alone: "( ) ! -a -o -not -print -print0 -prune -depth -d -xdev -follow -quit -empty -executable",
		takes:
			"-name -iname -path -ipath -regex -perm -type -links -user -group -size -atime -ctime -mtime -amin -cmin -mmin -newer -inum -maxdepth -mindepth",
		leading: /^-[HL]$/,
	},
};

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const names = (flavor: ProgramFlavor) => ({ alone: set(findTests[flavor].alone), takes: set(findTests[flavor].takes) });
const known = { gnu: names("gnu"), bsd: names("bsd"), busybox: names("busybox") };

export const find: Assessor = (call) => {
	const { words, flavor, unknown } = call;
	const { leading } = findTests[flavor];
	const { alone, takes } = known[flavor];
	let at = 1;
	let follow = false;
	for (; leading.test(words[at] ?? ""); at++) follow ||= /[HL]/.test(words[at] as string);
	const paths: string[] = [];
	for (; at < words.length && !/^(?:-.|[(!,]$)/.test(words[at] as string); at++) paths.push(words[at] as string);
	const compared: string[] = [];
	let odd: string | undefined;
	for (; at < words.length && odd === undefined; at++) {
		const word = words[at] as string;
		follow ||= word === "-follow";
		if (takes.has(word)) {
			at++;
			if (COMPARED.test(word)) compared.push(words[at] ?? "");
		} else if (!alone.has(word)) odd = word;
	}
	const named = (paths.length > 0 ? paths : ["."]).filter(isPath);
	const operands = [
		...named.map((word): Operand => ({ word, use: "read", reach: { kind: "names", ...(follow && { follow }) } })),
		...reading(compared, { kind: "itself" }),
	];
	const asks = (always: string) => ({
		always,
		...(words.includes("-delete") ? { deletes: true as const } : { line: true as const }),
		operands,
	});
	if (odd !== undefined) return asks(t("{0} is used with {1}, which may write or run something", "find", odd));
	if (unknown.size > 0) return asks(t("{0} gets a word that only the shell could know", "find"));
	return { reads: true, class: "find", operands };
};
