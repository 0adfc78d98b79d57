// Finds copies of the workspace that nothing needs any more, and old ones that the person is asked about.

import type { CopyChanges } from "../core/ports/copies.ts";
import { isTaskOver } from "../core/task.ts";
import type { Services } from "../session/services.ts";
import { formatSessionTitle } from "../session/transcript/sessionTitle.ts";

export interface OldCopy {
	taskId: string;
	/** Name of the task. */
	name: string;
}

/** Returns true if no work would be lost with the copy: nothing but dependencies differs, modes included, and all was compared. */
export function hasNothingLeft({ changes, notes }: CopyChanges): boolean {
	return changes.every(({ dependency }) => dependency) && notes.length === 0;
}

type CopyServices = Pick<Services, "copies" | "store" | "now" | "log">;

/**
 * Removes what windows left that ended meanwhile, and copies whose task was deleted, or is over and doesn't name its copy: nothing
 * has worked in that one, or nothing in it has changed. Never rejects.
 */
export async function cleanCopies({ copies, store, log }: CopyServices): Promise<void> {
	if (!copies) return;
	try {
		await copies.sweep();
		for (const { id, abandoned } of await copies.list()) {
			const summary = await store.find(id);
			// A task that can't be read now, or is known under another identity of the workspace, is not a task that was deleted.
			const isDeleted = abandoned && !summary && !(await store.identity(id));
			const task = summary?.task;
			if (isDeleted || (task && !task.copied && isTaskOver(task.state))) await copies.remove(id);
		}
	} catch (error) {
		log(`copies were not cleaned up: ${String(error)}`);
	}
}

/** Tasks are about to be deleted: the next start removes what `removeCopies` doesn't. Never rejects. */
export async function abandonCopies({ copies, log }: CopyServices, taskIds: readonly string[]): Promise<void> {
	for (const id of taskIds) await copies?.abandon(id).catch((error: unknown) => log(`the copy ${id} was not marked: ${String(error)}`));
}

/** The tasks were deleted. Never rejects. */
export async function removeCopies({ copies, log }: CopyServices, taskIds: readonly string[]): Promise<void> {
	for (const id of taskIds) await copies?.remove(id).catch((error: unknown) => log(`the copy ${id} was not removed: ${String(error)}`));
}

/** Copies in which nothing has happened for 14 days, of tasks that are over, oldest first. */
export async function findOldCopies({ copies, store, now }: CopyServices): Promise<OldCopy[]> {
	const limit = new Date(now().getTime() - MAX_AGE).toISOString();
	const old: OldCopy[] = [];
	for (const { id, createdAt } of (await copies?.list()) ?? []) {
		const summary = await store.find(id);
		if (!summary?.task?.copied || !isTaskOver(summary.task.state)) continue;
		const kept = summary.attributes?.[KEPT];
		if ([createdAt, summary.updatedAt, typeof kept === "string" ? kept : ""].some((at) => at > limit)) continue;
		old.push({ taskId: id, name: formatSessionTitle(summary) });
	}
	return old;
}

/** The person keeps it: they are asked again after another 14 days. */
export async function keepCopy({ store, now }: CopyServices, taskId: string): Promise<void> {
	const summary = await store.find(taskId);
	if (summary) await store.update(taskId, { attributes: { ...summary.attributes, [KEPT]: now().toISOString() } });
}

const MAX_AGE = 14 * 24 * 60 * 60 * 1_000;
/** Session attribute with an ISO time. */
const KEPT = "copyKept";
