// Opens what the chat names: files, outputs, terminals, archives, plans, code and links.
import { hasHidden } from "../core/hiddenText.ts";
import { relativePathWithin, toAbsolutePath } from "../core/paths.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { findEvent, findResult } from "../session/transcript/eventLookup.ts";
import { formatPlanAsMarkdown, readArchiveAsMarkdown } from "../sessions/exportSession.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { IntentOf, Update } from "../shared/protocol/chat.ts";
import { truncateMiddle } from "../shared/utf8.ts";
import type { ChatHost } from "./chatHost.ts";

type Handled =
	| "savePlan"
	| "openFile"
	| "findPaths"
	| "openPath"
	| "showOutput"
	| "insertCode"
	| "applyCode"
	| "loadOutput"
	| "openArchive"
	| "showTerminal"
	| "openLink";

interface OpenOptions {
	sessions: Sessions;
	host: ChatHost;
	/** The session that is shown; paths are those of its workspace. */
	shown(): Promise<string>;
	/** Returns true if that session is shown. */
	shows(session: string): boolean;
	post(update: Update): void;
}

/** Maximum bytes of output that a page can show. */
const MOST_OUTPUT = 500_000;

export function createOpenActions({ sessions, host, shown, shows, post }: OpenOptions): {
	[T in Handled]: (intent: IntentOf<T>) => unknown;
} {
	const on = (id: string) => sessions.get(id);
	const shownWorkspace = async () => (await on(await shown())).workspace;
	return {
		savePlan: async ({ session, planId, version }) => {
			const plan = await findEvent(await on(session), (event) =>
				event.type === "plan" && event.planId === planId && event.version === version ? event.plan : undefined,
			);
			if (plan) await host.save(`${slug(plan.goal)}.md`, `${formatPlanAsMarkdown(plan)}\n`);
		},
		openFile: async ({ path, line }) => host.openFile(toAbsolutePath(await shownWorkspace(), path), line),
		findPaths: async ({ paths }) => post({ type: "paths", asked: paths, files: await filterWorkspaceFiles(await shownWorkspace(), paths) }),
		openPath: async ({ path, line }) => {
			const file = await findWorkspaceFile(await shownWorkspace(), path);
			if (file === undefined) return host.notify("warning", t("{0} is no longer a file in this workspace.", path));
			return host.openFile(file, line);
		},
		showOutput: async ({ session, call }) => {
			const result = await findResult(await on(session), call);
			if (result) await host.openText(result.output);
		},
		insertCode: ({ code }) => host.insertCode(code),
		applyCode: async ({ code, file }) =>
			host.applyCode(code, file === undefined ? undefined : toAbsolutePath(await shownWorkspace(), file)),
		loadOutput: async ({ session, call }) => {
			const result = await findResult(await on(session), call);
			if (result && shows(session)) post({ type: "output", session, call, text: truncateMiddle(result.output, MOST_OUTPUT) });
		},
		openArchive: async ({ session, archive }) => host.openText(await readArchiveAsMarkdown(sessions, session, archive)),
		showTerminal: async ({ session, call }) => {
			const result = (await on(session)).state.calls.get(call)?.result;
			const command = result?.view?.kind === "command" ? result.view.command : undefined;
			host.showTerminal(call, result && command !== undefined ? { command, output: result.output } : undefined);
		},
		openLink: ({ url, text }) => host.openLink(url, text),
	};
}

/** The absolute path of a workspace file; undefined if there is none, or if the path could leave the workspace. */
export async function findWorkspaceFile(workspace: Workspace, path: string): Promise<string | undefined> {
	const odd = path === "" || /\\|:\/\/|^[~/]|(?:^|\/)\.{1,2}(?:\/|$)/.test(path) || hasHidden(path, "selectors");
	if (odd) return undefined;
	const absolute = toAbsolutePath(workspace, path);
	if (!workspace.folders().some((folder) => relativePathWithin(folder.path, absolute) !== undefined)) return undefined;
	const stat = await workspace.stat(absolute).catch(() => undefined);
	return stat?.type === "file" ? absolute : undefined;
}

/** The paths that are workspace files; only those become links. */
export async function filterWorkspaceFiles(workspace: Workspace, paths: readonly string[]): Promise<string[]> {
	const found = await Promise.all(paths.map(async (path) => ((await findWorkspaceFile(workspace, path)) === undefined ? [] : [path])));
	return found.flat();
}

function slug(goal: string): string {
	const joined = goal.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
	return joined.replace(/^-|-$/g, "").slice(0, 60) || "plan";
}
