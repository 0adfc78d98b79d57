// Whether a repository's own files make git run programs: its configuration, its hooks, or a bare repository in disguise.
import type { Disk } from "../core/workspace.ts";
import { t } from "../l10n.ts";
import { system } from "./follow.ts";
import { isGitFolder, type Look } from "./paths.ts";

const LONGEST_CONFIG = 256 * 1024;

/** Keys whose value git runs, or which lead to further configuration, as `section.key` and `section.*.key`. */
const running = new Set(
	(
		"core.fsmonitor core.pager core.sshcommand core.editor sequence.editor core.hookspath core.askpass core.gitproxy core.worktree " +
		"core.alternaterefscommand core.attributesfile diff.external diff.*.command diff.*.textconv filter.*.clean filter.*.smudge filter.*.process " +
		"merge.*.driver gpg.program gpg.*.program credential.helper credential.*.helper include.path includeif.*.path interactive.difffilter " +
		"uploadpack.packobjectshook remote.*.uploadpack remote.*.receivepack remote.*.vcs submodule.*.update log.showsignature tar.*.command " +
		"difftool.*.cmd difftool.*.path mergetool.*.cmd mergetool.*.path browser.*.cmd man.*.cmd help.browser web.browser commit.gpgsign " +
		"core.fsmonitorhookversion trailer.*.command trailer.*.cmd guitool.*.cmd sendemail.smtpserver gc.recentobjectshook"
	).split(" "),
);
/** Whole sections that name programs. */
const runningSections = new Set(["alias", "pager"]);

export async function gitConfigRuns(disk: Disk, look: Look, cwd: string): Promise<string | undefined> {
	const folder = await gitFolderOf(disk, look, cwd);
	if (folder === undefined) return undefined;
	if (folder.bare) return t("{0} is a bare repository, which may not be what it seems", folder.path);
	const common = await firstLine(disk, system.join(folder.path, "commondir"));
	const main = common === undefined ? folder.path : system.resolve(folder.path, common);
	for (const file of [system.join(main, "config"), system.join(folder.path, "config.worktree"), system.join(main, "config.worktree")]) {
		if (!(await look(file).catch(() => undefined))) continue;
		const bytes = await disk.peek(file, LONGEST_CONFIG);
		const found =
			bytes === undefined || bytes.length >= LONGEST_CONFIG ? t("it could not be read") : runningKey(new TextDecoder().decode(bytes));
		if (found !== undefined) return found;
	}
	const hook = system.join(main, "hooks", "post-index-change");
	return (await look(hook).catch(() => undefined)) ? t("the hook post-index-change") : undefined;
}

/** The first `section.key` that makes git run something. Reads as git does: comments, continued lines, keys after a header. */
function runningKey(config: string): string | undefined {
	let section = "";
	for (const line of config.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
		let rest = line.trim();
		const header = /^\[\s*([\w.-]+)\s*("(?:[^"\\]|\\.)*")?\s*\]/.exec(rest);
		if (header) {
			const [name = "", ...dotted] = (header[1] as string).toLowerCase().split(".");
			section = header[2] !== undefined || dotted.length > 0 ? `${name}.*` : name;
			rest = rest.slice(header[0].length).trim();
		} else if (rest.startsWith("[")) return t("a section that could not be read");
		const key = /^([a-z][\w-]*)\s*(?:=\s*(.*))?$/i.exec(rest);
		if (!key) continue;
		const full = `${section}.${(key[1] as string).toLowerCase()}`;
		const off = /^("?(false|no|off|0)?"?)\s*([#;].*)?$/i.test(key[2] ?? "true");
		if (runningSections.has(section.split(".")[0] as string)) return full;
		if (running.has(full) && !off) return full;
	}
	return undefined;
}

/** The first folder upwards that git would take: `.git`, the folder a `.git` file names, or a bare repository. */
async function gitFolderOf(disk: Disk, look: Look, cwd: string): Promise<{ path: string; bare: boolean } | undefined> {
	for (let path = cwd; ; path = system.dirname(path)) {
		const inner = system.join(path, ".git");
		const found = await look(inner).catch(() => undefined);
		if (found?.link !== undefined) return { path: inner, bare: true };
		if (found?.type === "directory") return { path: inner, bare: false };
		const named = found && /^gitdir:\s*(.+)$/.exec((await firstLine(disk, inner)) ?? "");
		if (named) return { path: system.resolve(path, named[1] as string), bare: false };
		if (await isGitFolder(look, path)) return { path, bare: true };
		if (system.dirname(path) === path) return undefined;
	}
}

async function firstLine(disk: Disk, path: string): Promise<string | undefined> {
	const bytes = await disk.peek(path, 4096);
	return bytes && new TextDecoder().decode(bytes).split(/\r?\n/)[0];
}
