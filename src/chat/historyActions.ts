// Actions on a session's history: show, keep or undo a turn's file changes, and rewind the conversation.
import type { EventOf, FileChange } from "../core/events.ts";
import { toAbsoluteChange, toDisplayChange } from "../core/paths.ts";
import { changesInView } from "../core/transcript/changes.ts";
import { UserError } from "../core/userError.ts";
import { planRestore, type RestorePlan, requireFiles, restoreFiles, type SkippedFile } from "../session/history/restoreFiles.ts";
import {
	continueSession,
	ensureIdle,
	findLastMessageIndex,
	findMessageIndex,
	formatSkippedFiles,
	isPlanApproval,
	planRewind,
	quoteMessage,
	retryMessage,
	rewindTo,
} from "../session/history/rewind.ts";
import type { Session } from "../session/session.ts";
import { type Message, mergeMessages } from "../session/state/message.ts";
import { SessionBlockedError } from "../session/state/sessionBlocked.ts";
import { findResult } from "../session/transcript/eventLookup.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { IntentOf } from "../shared/protocol/chat.ts";
import type { ChatHost, Choice } from "./chatHost.ts";

export function createReviewActions(sessions: Sessions, host: Pick<ChatHost, "choose" | "notify" | "openDiff" | "review">) {
	const { review } = sessions;

	async function change(intent: { session: string; call: string; path: string }): Promise<FileChange> {
		const session = await sessions.get(intent.session);
		const result = await findResult(session, intent.call);
		const found = changesInView(result?.view).find(({ path }) => path === intent.path);
		if (!found) throw new UserError(t("This change is no longer in the session."));
		return toAbsoluteChange(session.workspace, found);
	}

	async function undoTurn(session: Session, turn: string): Promise<void> {
		const files = [...(session.state.changedIn.get(turn)?.values() ?? [])];
		const plan = await planRestore(session, files);
		const some = plan.files.some((step) => step.change);
		if (!some)
			return host.notify(
				"info",
				plan.left.length > 0 ? `${t("Nothing was undone.")}${formatSkippedFiles(plan.left)}` : t("There is nothing left to undo."),
			);
		if (files.length > 1 || plan.left.length > 0) {
			const choices = [{ label: t("Undo"), value: true }];
			if (!(await host.choose(t("Undo all changes from this turn?"), describeRestorePlan(plan), choices))) return;
		}
		const { changes, left } = await restoreFiles(session, plan, (path) => session.state.changed.has(path));
		const text =
			changes.length === 1 ? t("Reverted changes in {0}.", changes[0]?.path ?? "") : t("Reverted changes in {0} files.", changes.length);
		await session.note(`${text}${formatSkippedFiles(left)}`, { changes });
	}

	return {
		openDiff: async (intent: IntentOf<"openDiff">) => host.openDiff(await change(intent), intent.path),
		undo: async (intent: IntentOf<"undo">) => {
			const session = await sessions.get(intent.session);
			await requireFiles(session);
			const done = await session.workspace.undo(await change(intent));
			const changes = [{ ...toDisplayChange(session.workspace, done), diff: "" }];
			await session.note(t("Reverted the change in {0}.", intent.path), { changes });
		},
		redo: async (intent: IntentOf<"redo">) => {
			const session = await sessions.get(intent.session);
			await requireFiles(session);
			const done = await session.workspace.undo(reversed(await change(intent)));
			const changes = [{ ...toDisplayChange(session.workspace, done), diff: "" }];
			await session.note(t("Reapplied the change in {0}.", intent.path), { changes, redo: true });
		},
		review: async ({ session: sessionId, turn, how }: IntentOf<"review">) => {
			const session = await sessions.get(sessionId);
			// Long ago turns are known only after loading all events.
			await session.whole();
			const paths = [...(session.state.changedIn.get(turn)?.keys() ?? [])];
			if (how === "show") await host.review(paths);
			else if (how === "keep") await review.keep(paths);
			else await undoTurn(session, turn);
		},
	};
}

/** The inverse change, which redoes what was undone. */
function reversed({ path, from, action, before, after, ...rest }: FileChange): FileChange {
	const made = after === "" ? {} : { before: { blob: after, size: 0 } };
	const back = { ...rest, ...made, after: before?.blob ?? (action === "create" ? "" : after) };
	if (action === "create") return { ...back, path, action: "delete" };
	if (action === "delete") return { ...back, path, action: "create" };
	return action === "rename" && from !== undefined ? { ...back, path: from, from: path, action } : { ...back, path, action };
}

interface RewindContext {
	on(session: string): Promise<Session>;
	host: Pick<ChatHost, "choose" | "copy">;
	/** Resolves the mentions of an edited message, with notes for the user. */
	bring(session: Session, text: string): Promise<{ message: Message; notes: string[] }>;
	/** Puts a message into the session's composer. */
	returnToComposer(session: string, message: Message): void;
}

export function createRewindActions({ on, host, bring, returnToComposer }: RewindContext) {
	const continuing = new Set<string>();
	return {
		continue: async ({ session }: IntentOf<"continue">) => {
			// A second click has the same purpose as the first, which is still running.
			if (continuing.has(session)) return;
			continuing.add(session);
			try {
				await continueSession(await on(session));
			} finally {
				continuing.delete(session);
			}
		},
		retry: async ({ session: sessionId }: IntentOf<"retry">) => {
			const session = await on(sessionId);
			await ensureIdle(session);
			const place = findLastMessageIndex(session.state);
			if (place < 0) return;
			if (isPlanApproval(session.state, place))
				throw new SessionBlockedError("plan-approval", t("To execute the plan again, use the button on the plan card."));
			const choice = await chooseRestore(session, place, t("Restore Files and Retry"), t("Keep Files and Retry"));
			if (choice) await retryMessage(session, place, choice === "restore");
		},
		resend: async ({ session: sessionId, message, text }: IntentOf<"resend">) => {
			const session = await on(sessionId);
			await ensureIdle(session);
			const place = findMessageIndex(session, message);
			if (place !== findLastMessageIndex(session.state))
				throw new SessionBlockedError("not-last-message", t("Only the last message can be resent."));
			const choice = await chooseRestore(session, place, t("Restore Files and Send"), t("Keep Files and Send"));
			if (!choice) return;
			const original = session.state.events[place] as EventOf<"user">;
			const { message: edited, notes } = await bring(session, text);
			await retryMessage(session, place, choice === "restore", { words: mergeWithOriginal(original, edited), notes });
		},
		rewind: async ({ session: sessionId, message }: IntentOf<"rewind">) => {
			const session = await on(sessionId);
			await ensureIdle(session);
			const place = findMessageIndex(session, message);
			const plan = await planRewind(session, place);
			const event = session.state.events[place];
			const title = t("Restore to the point before “{0}”?", event?.type === "user" ? quoteMessage(event.text) : "");
			const withFiles: Choice<"files" | "conversation">[] = [
				{ label: t("Restore Files"), value: "files" },
				{ label: t("Restore Files and Conversation"), value: "conversation" },
			];
			const withoutFiles: typeof withFiles = [{ label: t("Restore Conversation"), value: "conversation" }];
			const choice = await host.choose(title, describeRestorePlan(plan), toRestore(plan).length > 0 ? withFiles : withoutFiles);
			if (choice === undefined) return;
			const rewinding = choice === "conversation";
			// A message sent by a button is sent again by that button.
			const refill =
				rewinding && event?.type === "user" && event.by === "person" && !event.answers && !isPlanApproval(session.state, place);
			await rewindTo(session, place, rewinding);
			if (refill) returnToComposer(sessionId, mergeMessages([event]));
		},
		copy: ({ text }: IntentOf<"copy">) => host.copy(text),
	};

	/** Asks whether to restore the files that the old answer changed, if any. Undefined if the user cancels. */
	async function chooseRestore(
		session: Session,
		place: number,
		restoring: string,
		keeping: string,
	): Promise<"restore" | "keep" | undefined> {
		const plan = await planRewind(session, place);
		if (toRestore(plan).length === 0) return "keep";
		return host.choose<"restore" | "keep">(t("The last response changed files. Restore the files first?"), describeRestorePlan(plan), [
			{ label: restoring, value: "restore" },
			{ label: keeping, value: "keep" },
		]);
	}
}

/** The new message, with the old one's attachments that did not come from its mentions. */
function mergeWithOriginal(old: EventOf<"user">, message: Message): Message {
	const images = [...(old.images ?? []), ...(message.images ?? [])];
	const unique = images.filter(({ blob }, place) => images.findIndex((other) => other.blob === blob) === place);
	const unmentioned = (old.attachments ?? []).filter(({ label }) => !old.text.includes(`@${label}`));
	return { ...message, images: unique, attachments: [...unmentioned, ...(message.attachments ?? [])] };
}

function toRestore({ files }: RestorePlan): string[] {
	return files.flatMap(({ file, change }) => (change ? [file.path] : []));
}

/** Lists restored, deleted and skipped files, so that the result is no surprise. */
export function describeRestorePlan(plan: RestorePlan): string[] {
	const done = plan.files.filter(({ change }) => change);
	const [deleted, restored] = [true, false].map((created) =>
		done.filter(({ change }) => (change?.action === "create") === created).map(({ file }) => file.path),
	) as [string[], string[]];
	const parts = [
		...(restored.length > 0 ? [[t("These files will be restored:"), ...limitLines(restored)]] : []),
		...(deleted.length > 0 ? [[t("These files will be deleted:"), ...limitLines(deleted)]] : []),
		...(done.length === 0 ? [[t("No files will be restored.")]] : []),
		...(plan.left.length > 0 ? [[t("These files will not be changed:"), ...limitLines(plan.left.map(withReason))]] : []),
	];
	return parts.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

function withReason({ path, why }: SkippedFile): string {
	return `${path}: ${why}`;
}

function limitLines(lines: readonly string[]): string[] {
	const shown = lines.slice(0, MOST_LINES).map((line) => `• ${line}`);
	return [...shown, ...(lines.length > MOST_LINES ? [t("and {0} more", lines.length - MOST_LINES)] : [])];
}

const MOST_LINES = 12;
