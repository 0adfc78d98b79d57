// Switches off the programs that git would run over files because of their attributes.
import type { ProgramOutput } from "../../core/ports/workspace.ts";

/** Whether it may compare a work tree's files with what is committed. Only what is known not to counts as such. */
export function readsWorkTree(words: readonly string[]): boolean {
	const [command = ""] = words;
	return !COMMITTED.has(command) || words.some((word) => /^(-[a-z]*m|--modified|--filters)/i.test(word));
}

/** These read configuration, names and what is committed. */
const COMMITTED = new Set(
	"config for-each-ref log ls-files ls-remote ls-tree merge-base rev-list rev-parse show show-ref symbolic-ref version".split(" "),
);

/** The same words with conversions and foreign diffs off: a search in history (`log -S`) converts, too, whatever it prints. */
export function withoutTextConversion(words: readonly string[]): readonly string[] {
	const [command = "", ...others] = words;
	return DIFFS.has(command) ? [command, "--no-ext-diff", "--no-textconv", ...others] : words;
}

const DIFFS = new Set("diff diff-files diff-index diff-tree log show whatchanged".split(" "));

/**
 * Configuration by which no filter runs that a file's attributes may name, the person's own (Git LFS) among them:
 * its program reads the repository's configuration. Undefined where it cannot be known.
 */
export async function listFilterOverrides(
	ask: (words: readonly string[]) => Promise<ProgramOutput | undefined>,
): Promise<[string, string][] | undefined> {
	const said = await ask(["config", "--includes", "-z", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|smudge|process|required)$"]);
	// 1: there is none.
	if (!said || said.code > 1) return undefined;
	const keys = [...new Set(Buffer.from(said.output).toString("utf8").split("\0").filter(Boolean))];
	return keys.map((key) => [key, key.endsWith(".required") ? "false" : ""]);
}
