// Carries out switches to another agent's session, with a message and context, and returns with a summary.
import type { Usage } from "../core/events.ts";
import { UserError } from "../core/userError.ts";
import {
	forgetOrigin,
	leaveForOrigin,
	openSwitchTarget,
	type PreparedSwitch,
	prepareReturn,
	prepareSwitch,
	rememberOrigin,
	type SwitchRequest,
} from "../delegation/switch/agentSwitch.ts";
import { readDraftAttachment, removeDraftAttachment } from "../delegation/switch/draftAttachments.ts";
import { CarryError } from "../session/contextWindow/carryContext.ts";
import type { Session } from "../session/session.ts";
import type { Message } from "../session/state/message.ts";
import { SessionBlockedError } from "../session/state/sessionBlocked.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { readSwitchOrigin } from "../sessions/switchAttributes.ts";
import { t } from "../shared/l10n.ts";
import type { IntentOf } from "../shared/protocol/chat.ts";
import type { ChatHost } from "./chatHost.ts";

interface SwitchingOptions {
	sessions: Sessions;
	host: Pick<ChatHost, "choose" | "notify" | "openText" | "progress">;
	/** Resolves the mentions that the user typed, with notes for the user. */
	bring(target: Session, text: string): Promise<{ message: Message; notes: string[] }>;
	show(sessionId: string): Promise<void>;
	/** The session that the chat shows. */
	shown(): string | undefined;
	/** Throws unless the user clicked. */
	useToken(given: string): Promise<void>;
}

export function createAgentSwitching({ sessions, host, bring, show, shown, useToken }: SwitchingOptions) {
	/** Returns that are under way, by the session that is left: another click means the same. */
	const returns = new Map<string, Promise<void>>();

	/** Undefined if the user cancels it. */
	async function cancellable<T>(title: string, run: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
		let canceled: AbortSignal | undefined;
		try {
			return await host.progress(title, (signal) => {
				canceled = signal;
				return run(signal);
			});
		} catch (error) {
			if (!canceled?.aborted) throw error;
			host.notify("info", t("Canceled. Nothing was sent, and the conversation is unchanged."));
			return undefined;
		}
	}

	/** Undefined if the user cancels it. If the context can't go along, the user may go on without it. */
	async function prepare(source: Session, request: SwitchRequest): Promise<PreparedSwitch | undefined> {
		const make = (signal: AbortSignal) => prepareSwitch(sessions, source, request, signal);
		try {
			return await (request.carry === "summary"
				? cancellable(t("Summarizing the conversation…"), make)
				: make(new AbortController().signal));
		} catch (error) {
			if (!(error instanceof CarryError)) throw error;
			const choice = await host.choose(error.message, [], [{ label: t("Switch Without Context"), value: true }]);
			return choice ? prepare(source, { ...request, carry: "none" }) : undefined;
		}
	}

	/** Resolves once the message is on its way, with a function that waits for its turn; with undefined if nothing was sent. */
	async function begin(
		source: Session,
		request: SwitchRequest,
		accept: (prepared: PreparedSwitch) => Promise<void>,
	): Promise<(() => Promise<void>) | undefined> {
		const prepared = await prepare(source, request);
		if (!prepared) return undefined;
		const { session: target, release } = await openSwitchTarget(sessions, source, prepared.agent);
		try {
			const { message, notes } = await bring(target, prepared.message);
			await accept(prepared);
			await rememberOrigin(sessions, target, source);
			await noteUsage(source, prepared.usage);
			await show(target.sessionId);
			const all = [...prepared.notes, ...notes];
			if (all.length > 0) await target.note(all.join("\n"));
			const attachments = [...(prepared.attachment ? [prepared.attachment] : []), ...(message.attachments ?? [])];
			const sent = deliver(target, { ...message, ...(attachments.length > 0 && { attachments }) });
			sent.catch(() => undefined);
			return () => sent;
		} finally {
			release();
		}
	}

	/** A message that the session does not take is returned to its composer. */
	async function deliver(target: Session, message: Message): Promise<void> {
		try {
			await target.send(message);
		} catch (error) {
			if (error instanceof SessionBlockedError) sessions.returnToComposer(target.sessionId, message);
			throw error;
		}
	}

	async function noteUsage(source: Session, usage: Usage | undefined): Promise<void> {
		if (usage) await source.note(t("This conversation was summarized for another session."), { usage });
	}

	/** Undefined if the user cancels it. */
	async function summarizeForReturn(session: Session): Promise<Pick<PreparedSwitch, "attachment" | "usage"> | undefined> {
		try {
			return await cancellable(t("Summarizing the conversation…"), (signal) => prepareReturn(sessions, session, signal));
		} catch (error) {
			if (!(error instanceof CarryError)) throw error;
			const choice = await host.choose(error.message, [], [{ label: t("Return Without Summary"), value: true }]);
			return choice ? {} : undefined;
		}
	}

	async function goBack(session: Session): Promise<void> {
		// Another click on the button of a session that was left.
		if (shown() !== session.sessionId && !readSwitchOrigin(await sessions.find(session.sessionId))) return;
		const prepared = await summarizeForReturn(session);
		if (!prepared) return;
		await noteUsage(session, prepared.usage);
		await show(await leaveForOrigin(sessions, session.sessionId, prepared.attachment));
	}

	function goBackOnce(sessionId: string): Promise<void> {
		const going = returns.get(sessionId) ?? sessions.get(sessionId).then(goBack);
		returns.set(sessionId, going);
		return going.finally(() => returns.delete(sessionId));
	}

	return {
		/** A switch that the user described in the editor's own dialogs. */
		async switchTo(sessionId: string, request: SwitchRequest): Promise<void> {
			const send = await begin(await sessions.get(sessionId), request, async () => undefined);
			await send?.();
		},
		acts: {
			async switchAgent({ session, request, message, token }: IntentOf<"switchAgent">) {
				await useToken(token);
				const source = await sessions.get(session);
				let send: (() => Promise<void>) | undefined;
				await source.decisions.takeSwitchOffer(request, async ({ agent, carry }, accept) => {
					send = await begin(source, { agent, message, carry }, (prepared) => accept(`Switched to ${prepared.agent.displayName}`));
				});
				await send?.();
			},
			async switchedHere({ session, how }: IntentOf<"switchedHere">) {
				if (how === "return") return goBackOnce(session);
				await forgetOrigin(sessions, session);
			},
			async draftAttachment({ session, blob, how }: IntentOf<"draftAttachment">) {
				if (how === "remove") return removeDraftAttachment(sessions, session, blob);
				const attachment = await readDraftAttachment(sessions, session, blob);
				if (!attachment) throw new UserError(t("This attachment is no longer in the session."));
				await host.openText(attachment.text);
			},
		},
	};
}
