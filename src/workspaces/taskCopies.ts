// Creates, opens and removes the copies of the workspace in which background tasks work.
import type { WorkspaceCopies } from "../core/ports/copies.ts";
import type { Gate } from "../core/ports/gate.ts";
import type { OpenBuffers } from "../core/ports/workspace/editor.ts";
import { createCopies } from "../platform/copies/copies.ts";
import { type CopyWorkspace, type CopyWorkspaceOptions, createCopyWorkspace } from "./copyWorkspace.ts";
import type { AppWorkspace } from "./windowWorkspace.ts";

interface TaskCopiesOptions extends Omit<CopyWorkspaceOptions, "host" | "programs" | "settings"> {
	/** The folder in which all copies are, each in a folder named by its id, and those of other identities of the workspace. */
	copiesFolders: readonly [own: string, ...others: string[]];
	/** The workspace that is copied, its gate, and that gate's environment. */
	window: { workspace: AppWorkspace; gate: Pick<Gate, "visible">; host: CopyWorkspaceOptions["host"] };
	buffers?: OpenBuffers;
	settings(): ReturnType<CopyWorkspaceOptions["settings"]> & { tasks: { copyIgnored: readonly string[] } };
}

interface TaskCopies extends Omit<WorkspaceCopies, "create"> {
	/** Creates the copy for a task that has not worked in one yet. */
	create(id: string, signal: AbortSignal): Promise<{ notes: readonly string[] }>;
	open(id: string): Promise<CopyWorkspace | undefined>;
}

export function createTaskCopies({ copiesFolders, window, buffers, settings, ...options }: TaskCopiesOptions): TaskCopies {
	const { workspace, gate, host } = window;
	const { programs, diskFolders } = workspace;
	const [root, ...otherRoots] = copiesFolders;
	const copies = createCopies({ root, otherRoots, folders: diskFolders, programs, workspace, buffers, log: options.log });
	let swept: Promise<void> | undefined;
	return {
		...copies,
		async create(id, signal) {
			swept ??= copies.sweep();
			await swept;
			// From a window that ended before the task's record named the copy: nothing has worked in it yet.
			await copies.remove(id);
			const { copyIgnored } = settings().tasks;
			const { notes } = await copies.create(id, { signal, copyIgnored, isReadable: gate.visible });
			return { notes };
		},
		async open(id) {
			const copy = await copies.find(id);
			return copy && createCopyWorkspace(copy, { ...options, host, programs, settings });
		},
	};
}
