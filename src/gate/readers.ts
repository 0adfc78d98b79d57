// Programs that only read and print, as tables: which of their flags are harmless, and which of their words are paths.
import { t } from "../l10n.ts";
import { type Options, type ReadOptions, readOptions } from "./options.ts";
import { judgeSed, sedOptions } from "./sed.ts";

export interface Reading {
	/** Why it asks although the program itself only reads. */
	reason?: string;
	/** Words that may be paths. */
	paths: readonly string[];
	/** It reads everything below its paths; `hidden` when names that begin with a dot, too. */
	below?: { hidden: boolean };
}

type Reader = (words: readonly string[]) => Reading;

export const readers = new Map<string, Reader>();

const silent: Reader = () => ({ paths: [] });
const plainly: Reader = (words) => ({ paths: words.slice(1) });

for (const name of (
	"echo true false : pwd whoami id uname arch uptime seq sleep tr which type exit nproc tty groups logname users who w free " +
	"locale getconf printenv yes expr basename dirname"
).split(" ")) {
	readers.set(name, silent);
}
for (const name of (
	"ls cat head tail wc nl tac rev fold fmt join comm cmp od hexdump hd strings stat du df readlink realpath cksum md5sum " +
	"sha1sum sha224sum sha256sum sha384sum sha512sum b2sum sum shasum md5 expand unexpand column pr tsort zcat"
).split(" ")) {
	readers.set(name, plainly);
}

/** A program whose flags are all known: what is not among them asks. */
function known(name: string, options: Options, look: (read: ReadOptions) => Reading): void {
	readers.set(name, (words) => {
		const read = readOptions(words, options);
		const reading = look(read);
		if (read.unknown === undefined) return { ...reading, paths: [...reading.paths, ...read.paths] };
		return { ...reading, reason: t("it is used with {0}, which may write or run something", read.unknown), paths: words.slice(1) };
	});
}

const operandsOnly = ({ operands }: ReadOptions): Reading => ({ paths: operands });

readers.set("printf", (words) => ({
	paths: [],
	...(/^-[^-]/.test(words[1] ?? "") && { reason: t("printf -v sets a variable") }),
}));
readers.set("ps", (words) => ({
	paths: [],
	...(words.slice(1).some((word) => /^[a-zA-Z]*e/.test(word)) && { reason: t("it shows the environment of other programs") }),
}));
readers.set("test", (words) => ({
	paths: words.slice(1),
	...(words.some((word) => word.includes("[")) && { reason: t("test may run what stands in brackets") }),
}));
readers.set("command", (words) =>
	/^-[vV]$/.test(words[1] ?? "") ? { paths: [] } : { paths: words.slice(1), reason: t("it runs another program") },
);
readers.set("env", (words) => (words.length === 1 ? { paths: [] } : { paths: words.slice(1), reason: t("it runs another program") }));

known(
	"sort",
	{
		short: "bdfghiMnrRVcCmsuz",
		values: "ktS",
		long:
			"--reverse --numeric-sort --unique --key= --field-separator= --ignore-case --human-numeric-sort --version-sort --check? --stable " +
			"--zero-terminated --general-numeric-sort --month-sort --ignore-leading-blanks --dictionary-order --random-sort --merge --parallel=",
	},
	operandsOnly,
);
known(
	"uniq",
	{
		short: "cdDuiz",
		values: "fsw",
		long: "--count --repeated --unique --ignore-case --skip-fields= --skip-chars= --check-chars= --zero-terminated",
	},
	({ operands }) => ({ paths: operands, ...(operands.length > 1 && { reason: t("its second file is written") }) }),
);
known("xxd", { short: "abCeEiprud", values: "clgnos", long: "" }, ({ operands, flags }) => ({
	paths: operands,
	...((operands.length > 1 || flags.includes("-r")) && { reason: t("its second file is written") }),
}));
known(
	"cut",
	{
		short: "sz",
		values: "bcdf",
		long: "--bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated",
	},
	operandsOnly,
);
known("paste", { short: "sz", values: "d", long: "--serial --delimiters= --zero-terminated" }, operandsOnly);
known("base64", { short: "di", values: "w", long: "--decode --ignore-garbage --wrap=" }, operandsOnly);
known("base32", { short: "di", values: "w", long: "--decode --ignore-garbage --wrap=" }, operandsOnly);
known(
	"tree",
	{
		short: "adfipshDFugnACNqrtcUv",
		values: "LIP",
		long: "--dirsfirst --noreport --gitignore --prune --charset= --filelimit= --du --si --inodes --device --nolinks --sort=",
	},
	operandsOnly,
);
known(
	"date",
	{
		short: "uRI",
		values: "dr",
		long: "--utc --universal --date= --reference= --iso-8601? --rfc-3339= --rfc-email",
		paths: "-r --reference",
	},
	({ operands }) => ({
		paths: [],
		...(operands.some((operand) => !operand.startsWith("+")) && { reason: t("it may set the clock") }),
	}),
);
known("hostname", { short: "sfidIAy", values: "", long: "--short --fqdn --long --domain --ip-address" }, ({ operands }) => ({
	paths: [],
	...(operands.length > 0 && { reason: t("it may set the name of this machine") }),
}));
known(
	"file",
	{
		short: "bhiLNnpkrs0",
		values: "F",
		long: "--brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --raw",
	},
	operandsOnly,
);
known(
	"jq",
	{
		short: "rcsnSejaCM",
		values: "",
		long: "--raw-output --compact-output --slurp --null-input --sort-keys --exit-status --join-output --ascii-output --tab --raw-input",
	},
	({ operands }) => ({
		paths: operands.slice(1),
		...(/\b(import|include|input_filename|getpath\/)/.test(operands[0] ?? "") && { reason: t("its filter reads other files") }),
	}),
);
known(
	"diff",
	{
		short: "abBcdeEiNqrstTuwyp",
		values: "CUWxXIL",
		long:
			"--brief --recursive --unified? --context? --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text " +
			"--side-by-side --new-file --color? --exclude= --label= --width= --report-identical-files --minimal --strip-trailing-cr",
		paths: "-X",
	},
	({ operands, flags }) => ({
		paths: operands,
		...((flags.includes("-r") || flags.includes("--recursive")) && { below: { hidden: true } }),
	}),
);
known("sed", sedOptions, (read) => {
	const { reason, operands } = judgeSed(read);
	return { paths: operands, ...(reason !== undefined && { reason }) };
});

const grepOptions: Options = {
	short: "EFGPiyvwxcLloqshHnTUzrRabZ0123456789",
	values: "efmABCDd",
	long:
		"--extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp " +
		"--line-regexp --count --color? --colour? --files-without-match --files-with-matches --only-matching --quiet --silent --no-messages " +
		"--byte-offset --with-filename --no-filename --line-number --initial-tab --null --null-data --recursive --dereference-recursive " +
		"--text --line-buffered --binary --regexp= --file= --max-count= --after-context= --before-context= --context= --label= --include= " +
		"--exclude= --exclude-dir= --exclude-from= --binary-files= --devices= --directories=",
	paths: "-f --file --exclude-from",
};
for (const name of ["grep", "egrep", "fgrep"]) {
	known(name, grepOptions, ({ operands, flags, others, paths }) => {
		const given = paths.length > 0 || others.some(({ flag }) => flag === "-e" || flag === "--regexp");
		const files = given ? operands : operands.slice(1);
		const recurse = others.some(({ flag, value }) => (flag === "-d" || flag === "--directories") && value === "recurse");
		const follows = flags.includes("-R") || flags.includes("--dereference-recursive");
		const deep = recurse || follows || flags.includes("-r") || flags.includes("--recursive");
		return {
			paths: deep && files.length === 0 ? ["."] : files,
			...(deep && { below: { hidden: true } }),
			...(follows && { reason: t("it follows links, which may lead outside the workspace") }),
		};
	});
}

known(
	"rg",
	{
		short: "acFhHiIlnNopPqsSUvVwx0u.",
		values: "ABCEefgjmMrtTd",
		long:
			"--ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --invert-match --count --count-matches " +
			"--files-with-matches --files-without-match --line-number --no-line-number --only-matching --with-filename --no-filename --heading " +
			"--no-heading --color= --column --pcre2 --multiline --multiline-dotall --hidden --no-ignore --no-ignore-vcs --null --quiet --text " +
			"--trim --vimgrep --json --stats --files --type-list --sort= --sortr= --regexp= --file= --glob= --iglob= --type= --type-not= " +
			"--after-context= --before-context= --context= --max-count= --max-columns= --max-depth= --max-filesize= --replace= --threads= " +
			"--passthru --unrestricted --no-messages --no-config --version --crlf --encoding=",
		paths: "-f --file",
	},
	({ operands, flags, others, paths }) => {
		const given = paths.length > 0 || flags.includes("--files") || others.some(({ flag }) => flag === "-e" || flag === "--regexp");
		const files = given ? operands : operands.slice(1);
		const hidden = ["-.", "--hidden", "-u", "--unrestricted"].some((flag) => flags.includes(flag));
		const named = others.some(({ flag, value }) => /^(-g|--i?glob)$/.test(flag) && !value.startsWith("!"));
		const below = flags.includes("--files") ? undefined : { hidden: hidden || named };
		return { paths: files.length === 0 ? ["."] : files, ...(below && { below }) };
	},
);

const findTests = new Set(
	(
		"-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -maxdepth -mindepth -size -mtime -mmin -atime -amin " +
		"-ctime -cmin -newer -anewer -cnewer -not -a -and -o -or -print -print0 -printf -ls -prune -quit -H -P -xdev -mount -empty -perm -user " +
		"-group -uid -gid -links -inum -samefile -lname -ilname -true -false -readable -writable -executable -depth -d -daystart -regextype " +
		"-noleaf -nouser -nogroup -used -newermt"
	).split(" "),
);
readers.set("find", (words) => {
	const odd = words.slice(1).find((word) => /^-\D/.test(word) && !findTests.has(word) && !/^-(O\d|newer[aBcm][aBcmt])$/.test(word));
	return { paths: words.slice(1), ...(odd !== undefined && { reason: t("find {0} may write, delete or run something", odd) }) };
});
