// Tells whether a format of git's only prints: what is not known may verify a signature, start a program or print an object.

const named = new Set("oneline short medium full fuller reference email mboxrd raw".split(" "));

/** Of `--format` and `--pretty`. Another bare name is an alias in somebody's configuration. */
export function isKnownCommitFormat(format: string): boolean {
	if (format === "" || named.has(format)) return true;
	const text = format.replace(/^t?format:/, "");
	if (text === format && !format.includes("%")) return false;
	return !text.replace(placeholder, "").includes("%");
}

/** All that `git help log` lists but %G (runs a program that verifies signatures) and %(describe) (starts another git). */
const placeholder = new RegExp(
	`%[+\\- ]?(?:${[
		"[HhTtPpdDSesfbBmnN%]",
		"[ac][nNeElLdDriIths]",
		"g[DdnNeEs]",
		"C(?:red|green|blue|reset|\\([a-z0-9# ,-]*\\))",
		"x[0-9a-fA-F]{2}",
		"w\\([0-9, ]*\\)",
		"[<>|]{1,2}\\(\\s*-?\\d+\\s*(?:,\\s*(?:trunc|ltrunc|mtrunc)\\s*)?\\)",
		"\\((?:trailers|decorate)(?::[^()]*)?\\)",
	].join("|")})`,
	"g",
);

/** Of `branch`, `tag`, `for-each-ref`: no `raw` (any object as it is), no `signature` (runs a program), no `describe`. */
export function isKnownRefFormat(format: string): boolean {
	return !format
		.replace(/%%|%[0-9a-fA-F]{2}/g, "")
		.replace(atom, "")
		.includes("%");
}

const atoms = (
	"refname objecttype objectsize objectname deltabase tree parent numparent object type tag author authorname authoremail authordate " +
	"committer committername committeremail committerdate tagger taggername taggeremail taggerdate creator creatordate subject body contents " +
	"trailers upstream push symref flag HEAD color worktreepath align end if then else ahead-behind is-base"
).split(" ");
const atom = new RegExp(`%\\(\\*?(?:${atoms.join("|")})(?::[^()]*)?\\)`, "g");
