// Asks once per window whether old copies of the workspace, in which background tasks worked, may be deleted.
import type { Tasks } from "../delegation/tasks/tasks.ts";
import { t } from "../shared/l10n.ts";
import { showNotification } from "./notifications.ts";

export async function askAboutOldCopies(tasks: Pick<Tasks, "oldCopies" | "keepCopy" | "applyChanges">): Promise<void> {
	const old = await tasks.oldCopies();
	const [first] = old;
	if (!first) return;
	const [keep, remove] = [t("Keep"), t("Delete")];
	const question =
		old.length === 1
			? t(
					"The background task “{0}” still has a copy of the workspace that is older than 14 days. Changes that weren't taken are only there.",
					first.name,
				)
			: t(
					"{0} background tasks still have copies of the workspace that are older than 14 days. Changes that weren't taken are only there.",
					old.length,
				);
	const answer = await showNotification("info", question, keep, remove);
	if (answer === keep) for (const { taskId } of old) await tasks.keepCopy(taskId);
	if (answer !== remove) return;
	const kept: string[] = [];
	// Meanwhile, a task may have gone on in its copy.
	const still = new Set((await tasks.oldCopies()).map(({ taskId }) => taskId));
	for (const { taskId, name } of old.filter((one) => still.has(one.taskId)))
		await tasks.applyChanges.discard(taskId).catch(() => kept.push(name));
	if (kept.length > 0) void showNotification("warning", t("These copies are in use and were not deleted: {0}.", kept.join(", ")));
}
