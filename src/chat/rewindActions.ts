// What the chat's buttons at a message do: undo to here, retry, edit and resend. Each says first what becomes of files.
import type { EventOf } from "../core/events.ts";
import type { RestorePlan, SkippedFile } from "../session/history/restoreFiles.ts";
import {
	continueSession,
	ensureIdle,
	findLastMessageIndex,
	findMessageIndex,
	isPlanApproval,
	planRewind,
	quoteMessage,
	retryMessage,
	rewindTo,
} from "../session/history/rewind.ts";
import { SessionBlockedError } from "../session/lease.ts";
import type { Message } from "../session/messageQueue.ts";
import type { Session } from "../session/session.ts";
import { t } from "../shared/l10n.ts";
import type { Intent } from "../shared/protocol/chat.ts";
import type { ChatHost } from "./chatHost.ts";

type Of<T extends Intent["type"]> = Extract<Intent, { type: T }>;

interface Doors {
	on(session: string): Promise<Session>;
	host: Pick<ChatHost, "choose" | "copy">;
	/** Edited words with what their mentions bring along, and what the person should know of them. */
	bring(conversation: Session, text: string): Promise<{ message: Message; notes: string[] }>;
	/** Puts words into the session's composer. */
	giveBack(session: string, message: Message): void;
}

export function createRewindActions({ on, host, bring, giveBack }: Doors) {
	const going = new Set<string>();
	return {
		continue: async ({ session }: Of<"continue">) => {
			// A second click wants what the first has begun.
			if (going.has(session)) return;
			going.add(session);
			try {
				await continueSession(await on(session));
			} finally {
				going.delete(session);
			}
		},
		retry: async ({ session }: Of<"retry">) => {
			const conversation = await on(session);
			await ensureIdle(conversation);
			const place = findLastMessageIndex(conversation.state);
			if (place < 0) return;
			if (isPlanApproval(conversation.state, place))
				throw new SessionBlockedError(t("Execute the plan again with the button on its card."));
			const choice = await restoringToo(conversation, place, t("Restore files and retry"), t("Keep files and retry"));
			if (choice) await retryMessage(conversation, place, choice === "restore");
		},
		resend: async ({ session, message, text }: Of<"resend">) => {
			const conversation = await on(session);
			await ensureIdle(conversation);
			const place = findMessageIndex(conversation, message);
			if (place !== findLastMessageIndex(conversation.state)) throw new SessionBlockedError(t("Only the last message can be sent again."));
			const choice = await restoringToo(conversation, place, t("Restore files and send"), t("Keep files and send"));
			if (!choice) return;
			const said = conversation.state.events[place] as EventOf<"user">;
			const { message: words, notes } = await bring(conversation, text);
			await retryMessage(conversation, place, choice === "restore", { words: together(said, words), notes });
		},
		rewind: async ({ session, message }: Of<"rewind">) => {
			const conversation = await on(session);
			await ensureIdle(conversation);
			const place = findMessageIndex(conversation, message);
			const plan = await planRewind(conversation, place);
			const event = conversation.state.events[place];
			const title = t("Go back to before “{0}”?", event?.type === "user" ? quoteMessage(event.text) : "");
			const [files, both, words] = [t("Restore files"), t("Restore files and rewind the conversation"), t("Rewind the conversation")];
			const buttons = toRestore(plan).length > 0 ? [files, both] : [words];
			const choice = await host.choose(title, describeRestorePlan(plan), buttons);
			if (choice === undefined) return;
			const rewinding = choice !== files;
			// What was said with a button is said with it again.
			const own =
				rewinding && event?.type === "user" && event.by === "person" && !event.answers && !isPlanApproval(conversation.state, place);
			await rewindTo(conversation, place, rewinding);
			if (own) giveBack(session, { text: event.text, ...(event.images && { images: event.images }) });
		},
		copy: ({ text }: Of<"copy">) => host.copy(text),
	};

	/** Asks what becomes of the files that the old answer changed, where there are any. Undefined when the person thinks better of it. */
	async function restoringToo(
		conversation: Session,
		place: number,
		restoring: string,
		keeping: string,
	): Promise<"restore" | "keep" | undefined> {
		const plan = await planRewind(conversation, place);
		if (toRestore(plan).length === 0) return "keep";
		const choice = await host.choose(t("The last answer changed files. Restore them first?"), describeRestorePlan(plan), [
			restoring,
			keeping,
		]);
		if (choice === undefined) return undefined;
		return choice === restoring ? "restore" : "keep";
	}
}

/** The new words, with what the old ones brought along beside their mentions. */
function together(old: EventOf<"user">, message: Message): Message {
	const images = [...(old.images ?? []), ...(message.images ?? [])];
	const once = images.filter(({ blob }, place) => images.findIndex((other) => other.blob === blob) === place);
	const beside = (old.attachments ?? []).filter(({ label }) => !old.text.includes(`@${label}`));
	return { ...message, images: once, attachments: [...beside, ...(message.attachments ?? [])] };
}

function toRestore({ files }: RestorePlan): string[] {
	return files.flatMap(({ file, change }) => (change ? [file.path] : []));
}

/** Both lists, so that nobody is surprised afterwards. */
export function describeRestorePlan(plan: RestorePlan): string[] {
	const done = plan.files.filter(({ change }) => change);
	const [deleted, restored] = [true, false].map((gone) =>
		done.filter(({ change }) => (change?.action === "create") === gone).map(({ file }) => file.path),
	) as [string[], string[]];
	const parts = [
		...(restored.length > 0 ? [[t("These files will be restored:"), ...listed(restored)]] : []),
		...(deleted.length > 0 ? [[t("These files will be deleted:"), ...listed(deleted)]] : []),
		...(done.length === 0 ? [[t("No file will be restored.")]] : []),
		...(plan.left.length > 0 ? [[t("These files stay as they are:"), ...listed(plan.left.map(reasoned))]] : []),
	];
	return parts.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

function reasoned({ path, why }: SkippedFile): string {
	return `${path}: ${why}`;
}

function listed(lines: readonly string[]): string[] {
	const shown = lines.slice(0, MOST_LINES).map((line) => `• ${line}`);
	return [...shown, ...(lines.length > MOST_LINES ? [t("and {0} more", lines.length - MOST_LINES)] : [])];
}

const MOST_LINES = 12;
