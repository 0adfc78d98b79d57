// Switches off the filters that git would run over the files of a work tree.
import type { Said } from "../../core/hostPrograms.ts";

/** Whether it may compare a work tree's files with what is committed. Only what is known not to counts as such. */
export function readsWorkTree(words: readonly string[]): boolean {
	const [command = ""] = words;
	return !COMMITTED.has(command) || words.some((word) => /^(-[a-z]*m|--modified|--filters)/i.test(word));
}

/** These read configuration, names and what is committed. */
const COMMITTED = new Set(["config", "for-each-ref", "log", "ls-files", "ls-tree", "rev-list", "rev-parse", "show", "show-ref", "version"]);

/**
 * Configuration by which no filter runs that a file's attributes may name, the person's own (Git LFS) among them:
 * its program reads the repository's configuration. Undefined where it cannot be known.
 */
export async function filtersOff(ask: (words: readonly string[]) => Promise<Said | undefined>): Promise<[string, string][] | undefined> {
	const said = await ask(["config", "--includes", "-z", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|smudge|process|required)$"]);
	// 1: there is none.
	if (!said || said.code > 1) return undefined;
	const keys = [...new Set(Buffer.from(said.output).toString("utf8").split("\0").filter(Boolean))];
	return keys.map((key) => [key, key.endsWith(".required") ? "false" : ""]);
}
