// What the line at the end of a turn does with the files that the turn changed: show them, keep them, undo them.

import type { FileChange } from "../core/events.ts";
import { changesInView } from "../core/transcript/changes.ts";
import { toAbsoluteChange, toDisplayChange } from "../session/displayPaths.ts";
import { findResult } from "../session/eventLookup.ts";
import { planRestore, restoreFiles } from "../session/history/restoreFiles.ts";
import { formatSkippedFiles } from "../session/history/rewind.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../session/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { Intent } from "../shared/protocol/chat.ts";
import type { ChatHost } from "./chatHost.ts";
import { describeRestorePlan } from "./rewindActions.ts";

type Of<T extends Intent["type"]> = Extract<Intent, { type: T }>;

export function createReviewActions(sessions: Sessions, host: Pick<ChatHost, "choose" | "notify" | "openDiff" | "review">) {
	const { services, review } = sessions;

	async function change(intent: { session: string; call: string; path: string }): Promise<FileChange> {
		const result = await findResult(await sessions.get(intent.session), intent.call);
		const found = changesInView(result?.view).find(({ path }) => path === intent.path);
		if (!found) throw new Error(t("That change is not in this session any more."));
		return toAbsoluteChange(services.workspace, found);
	}

	async function undoTurn(conversation: Session, turn: string): Promise<void> {
		const files = [...(conversation.state.changedIn.get(turn)?.values() ?? [])];
		const plan = await planRestore(services, files);
		const some = plan.files.some((step) => step.change);
		if (!some)
			return host.notify(
				"info",
				plan.left.length > 0 ? `${t("Nothing was undone.")}${formatSkippedFiles(plan.left)}` : t("This was undone already."),
			);
		if (files.length > 1 || plan.left.length > 0) {
			const undo = t("Undo");
			if ((await host.choose(t("Undo all changes from this turn?"), describeRestorePlan(plan), [undo])) !== undo) return;
		}
		const { changes, left } = await restoreFiles(services, plan, (path) => conversation.state.changed.has(path));
		const text =
			changes.length === 1 ? t("Undid the changes to {0}.", changes[0]?.path ?? "") : t("Undid the changes to {0} files.", changes.length);
		await conversation.note(`${text}${formatSkippedFiles(left)}`, { changes });
	}

	return {
		openDiff: async (intent: Of<"openDiff">) => host.openDiff(await change(intent), intent.path),
		undo: async (intent: Of<"undo">) => {
			const done = await services.workspace.undo(await change(intent));
			const changes = [{ ...toDisplayChange(services.workspace, done), diff: "" }];
			await (await sessions.get(intent.session)).note(t("Undid the change to {0}.", intent.path), { changes });
		},
		redo: async (intent: Of<"redo">) => {
			const conversation = await sessions.get(intent.session);
			const done = await services.workspace.undo(reversed(await change(intent)));
			const changes = [{ ...toDisplayChange(services.workspace, done), diff: "" }];
			await conversation.note(t("Redid the change to {0}.", intent.path), { changes, redo: true });
		},
		review: async ({ session, turn, how }: Of<"review">) => {
			const conversation = await sessions.get(session);
			// What a turn of long ago has changed is told by its events.
			await conversation.whole();
			const paths = [...(conversation.state.changedIn.get(turn)?.keys() ?? [])];
			if (how === "show") await host.review(paths);
			else if (how === "keep") await review.keep(paths);
			else await undoTurn(conversation, turn);
		},
	};
}

/** What undid the change: to take that back is to make the change again. */
function reversed({ path, from, action, before, after, ...rest }: FileChange): FileChange {
	const made = after === "" ? {} : { before: { blob: after, size: 0 } };
	const back = { ...rest, ...made, after: before?.blob ?? (action === "create" ? "" : after) };
	if (action === "create") return { ...back, path, action: "delete" };
	if (action === "delete") return { ...back, path, action: "create" };
	return action === "rename" && from !== undefined ? { ...back, path: from, from: path, action } : { ...back, path, action };
}
