// What is known of a program by its words: whether it only reads, what makes it ask, what a grant on it would cover.
import type { PathUse } from "../core/gate.ts";
import { t } from "../l10n.ts";
import { judgeGit } from "./git.ts";
import { judgePackages } from "./packages.ts";
import { readers } from "./readers.ts";
import { hidden, isShell, isWrapper } from "./wrappers.ts";

export interface Judgement {
	/** Asks even where a rule allows the program. */
	always?: string;
	/** Asks in every mode and is never granted for good; a rule of the person lets it pass. */
	careful?: string;
	/** Program and sub-command: what a grant covers. Absent where none is offered, as wherever it asks by `always` or `careful`. */
	class?: string;
	/** The grant dies when the scripts of package.json change. */
	bound?: boolean;
	/** Nothing but reading and printing. */
	reads?: boolean;
	/** Words that may be paths, and what happens to them. */
	paths: { word: string; use: PathUse }[];
	/** It reads everything below its paths. */
	below?: { hidden: boolean };
}

type Kind = { level: "always" | "careful"; because: string; names: string };

const kinds: readonly Kind[] = [
	{
		level: "always",
		because: t("deletes or overwrites, and deleting always asks"),
		names: "rm rmdir unlink shred srm trash trash-put rimraf del erase dd truncate wipefs mkfs fdisk parted mkswap",
	},
	{
		level: "always",
		because: t("changes how later commands are understood"),
		names:
			"export declare typeset local readonly set shopt alias unalias unset trap source . enable hash bind complete compgen compopt read " +
			"mapfile readarray let wait getopts ulimit umask pushd popd dirs history fc bg fg disown suspend caller logout times [ return break",
	},
	{ level: "always", because: t("runs what it is given as code"), names: "eval exec m4 batch at parallel rename split csplit" },
	{
		level: "always",
		because: t("can run programs from inside"),
		names: "less more most man info vi vim nvim view ed ex emacs nano pico gdb lldb screen tmux",
	},
	{
		level: "always",
		because: t("unpacks or patches files that cannot be judged before"),
		names: "tar bsdtar unzip 7z 7za 7zr cpio pax ar patch zip unrar gzip gunzip bzip2 bunzip2 xz unxz zstd",
	},
	{ level: "always", because: t("makes links, which lead other commands elsewhere"), names: "ln link symlink" },
	{
		level: "careful",
		because: t("runs programs of its own"),
		names:
			"deno tsx ts-node osascript pwsh powershell cmd java jshell scala groovy kotlin irb iex escript swipl Rscript R octave " +
			"gnuplot sqlite3 psql mysql mongo mongosh redis-cli bc dc expect ansible ansible-playbook terraform vagrant make-shell nodemon pm2",
	},
	{
		level: "careful",
		because: t("goes over the network"),
		names:
			"curl wget nc ncat netcat socat scp sftp rsync ftp tftp telnet ping ping6 dig nslookup host whois traceroute openssl gh glab hub aws " +
			"gcloud gsutil az kubectl helm docker podman nerdctl http https httpie xh aria2c axel lynx w3m links elinks mail mailx sendmail rclone " +
			"svn hg bzr ngrok cloudflared tailscale heroku vercel netlify fly flyctl firebase wrangler ssh-keyscan ssh-copy-id mosh nmap",
	},
	{
		level: "careful",
		because: t("changes this machine"),
		names:
			"kill killall pkill reboot shutdown halt poweroff systemctl service launchctl crontab mount umount useradd userdel usermod passwd chsh " +
			"visudo insmod modprobe iptables nft ip ifconfig sysctl defaults loginctl hostnamectl timedatectl chattr setfacl xattr gpg ssh-add ssh-keygen",
	},
];
const interpreter =
	/^(node|nodejs|python|pypy|perl|ruby|php|lua|luajit|julia|tclsh|wish|erl|elixir|guile|racket|awk|gawk|mawk|nawk|bun)[\d.]*$/;
const inlineCode = /^(-[a-zA-Z]*[ecEpr]|--eval|--print|--execute|--run|-e.+|-c.+)$/;
const byName = new Map(kinds.flatMap((kind) => kind.names.split(" ").map((name) => [name, kind] as const)));

/** Flags that hand any program something to run. */
const runs =
	/^--?(exec|exec-batch|eval|toolexec|vettool|pre|rsh|shell|script-shell|editor|pager|browser|to-command|checkpoint-action|compress-program|use-compress-program|node-options|init-script|onsuccess|on-success)(=|$)/i;
/** Programs whose first word is a sub-command; a flag before it makes them unjudgeable. */
const bySub = new Set(
	"npm yarn pnpm cargo go dotnet mvn gradle just rake rails mix nx turbo lerna flutter dart swift make ng vue task".split(" "),
);
const movers = new Set("mv cp install chmod chown chgrp touch mkdir tee".split(" "));

const judged = new WeakMap<readonly string[], Judgement>();

/** The words of one command are judged once, however many layers ask. */
export function judge(words: readonly string[]): Judgement {
	const known = judged.get(words);
	if (known) return known;
	const found = judgeAny(words);
	judged.set(words, found);
	return found;
}

function judgeAny(words: readonly string[]): Judgement {
	const [program = ""] = words;
	const name = program.split("/").at(-1) ?? "";
	if (name === program && program === program.toLowerCase()) return judgeNamed(words);
	const { paths, always } = judgeNamed([name.toLowerCase(), ...words.slice(1)]);
	const careful = name === program ? t("is written in capitals") : t("is run by its path, not by its name");
	return { paths, careful: `${program} ${careful}`, ...(always !== undefined && { always }) };
}

function judgeNamed(words: readonly string[]): Judgement {
	const [program = "", sub] = words;
	const reader = readers.get(program);
	if (reader) {
		const { reason, paths, below } = reader(words);
		return {
			paths: paths.map((word) => ({ word, use: "read" })),
			...(below && { below }),
			...(reason === undefined ? { reads: true, class: program } : { always: t("of {0}: {1}", program, reason) }),
		};
	}
	if (program === "cd") return { paths: [], reads: true };
	if (program === "git") return judgeGit(words);
	const paths = words.slice(1).map((word) => ({ word, use: "create" as const }));
	if (isShell(program) || isWrapper(program) || hidden(words).length > 0) return { paths, always: t("{0} runs another program", program) };
	const kind = byName.get(program);
	if (kind) return { paths, [kind.level]: `${program} ${kind.because}` };
	const flag = words.slice(1).find((word) => runs.test(word));
	if (flag !== undefined) return { paths, always: t("{0} {1} runs another program", program, flag) };
	const packages = judgePackages(words);
	if (packages) return packages;
	if (interpreter.test(program)) {
		const reads = words.slice(1).every((word) => word.startsWith("-")) && !/^(-v|-V|--version|--help)$/.test(sub ?? "");
		const inline = reads || words.slice(1).some((word) => inlineCode.test(word));
		return {
			paths,
			...(inline && { always: t("{0} runs code from the command line or its input", program) }),
			careful: t("{0} runs any code it is given", program),
		};
	}
	if (movers.has(program)) return judgeMover(words);
	if (
		program === "make" &&
		words.slice(1).some((word) => /^-[a-zA-Z]*[fCIEW]|^--(file|makefile|directory|include-dir|eval)|^\w+\s*[:?+]?=/.test(word))
	) {
		return { paths, always: t("make is told to use another makefile or variable") };
	}
	if (program === "cmake" && words.slice(1).some((word) => /^-[EP]/.test(word)))
		return { paths, always: t("cmake is told to run something") };
	const wordy = sub !== undefined && /^[A-Za-z][\w:-]*$/.test(sub);
	if (bySub.has(program) && sub !== undefined && !wordy) return { paths, always: t("{0} {1} comes before a sub-command", program, sub) };
	return { paths, class: wordy ? `${program} ${sub}` : program };
}

/** Moves and copies: what is there goes as a whole, and lands under its own name where the target is a folder. */
function judgeMover(words: readonly string[]): Judgement {
	const [program = ""] = words;
	const operands = words.slice(1).filter((word) => !word.startsWith("-"));
	const flags = words.slice(1).filter((word) => word.startsWith("-"));
	const copies = program === "cp" || program === "mv" || program === "install";
	const target = operands.at(-1);
	const landing =
		copies && target !== undefined
			? operands.slice(0, -1).map((source) => `${target}/${source.replace(/\/+$/, "").split("/").at(-1)}`)
			: [];
	const judgement: Judgement = {
		paths: [
			...operands
				.slice(0, copies ? -1 : undefined)
				.map((word) => ({ word, use: program === "mv" ? ("write" as const) : ("create" as const) })),
			...[...(copies && target !== undefined ? [target] : []), ...landing, ...flags].map((word) => ({ word, use: "create" as const })),
		],
	};
	const whole = flags.some((flag) =>
		/^-[a-zA-Z]*[rRaPdtT]|^--(recursive|archive|target-directory|no-dereference|reference|preserve)/.test(flag),
	);
	return whole
		? { ...judgement, always: t("{0} is used on whole folders, whose contents cannot be judged", program) }
		: { ...judgement, class: program };
}
