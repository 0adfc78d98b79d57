// The `@troupe` participant in VS Code's chat, with the same sessions and gate.

// Approvals and plans are answered only in Troupe's view; the participant shows buttons that lead there.
import * as vscode from "vscode";
import { resolveMentions } from "../../chat/mentions/resolveMentions.ts";
import type { EventOf } from "../../core/events.ts";
import {
	type ExternalChatCard,
	type ExternalChatOutput,
	relayToExternalChat,
	sendExternalMessage,
} from "../../session/integrations/externalChat.ts";
import type { Message } from "../../session/messageQueue.ts";
import { createContextLine } from "../../session/prompt/editorContext.ts";
import type { Session } from "../../session/session.ts";
import { t } from "../../shared/l10n.ts";
import { visibleLine, visibleText } from "../../shared/safeText.ts";
import type { Engine } from "../engine.ts";
import { helpAction } from "../errorNotifications.ts";
import { formatMention, selectedLines } from "../mentions/editorFacts.ts";
import type { IntegrationContext } from "./integrationContext.ts";

interface Asked {
	request: vscode.ChatRequest;
	context: vscode.ChatContext;
	stream: vscode.ChatResponseStream;
	token: vscode.CancellationToken;
}

/** Any extension can put words into that chat: they are not recorded as the person's. */
const BY = "channel:VS Code chat";

export async function handleChatRequest(doors: IntegrationContext, { request, context, stream, token }: Asked): Promise<vscode.ChatResult> {
	let session: string | undefined;
	const result = (message?: string): vscode.ChatResult => ({
		...(message !== undefined && { errorDetails: { message } }),
		...(session !== undefined && { metadata: { session } }),
	});
	try {
		const engine = await doors.engine.load();
		const conversation = await conversationFor(engine, context, request.command);
		session = conversation.sessionId;
		const told = relayToExternalChat(engine.sessions, conversation, sinkOf(stream, session));
		const stop = new AbortController();
		const stopping = token.onCancellationRequested(() => stop.abort());
		try {
			const message = await messageOf(conversation, { request, stream, signal: stop.signal });
			const { outcome, turn } = await sendExternalMessage(conversation, message, BY, stop.signal);
			const end = conversation.state.events.find((event): event is EventOf<"ended"> => event.type === "ended" && event.turn === turn);
			if (end?.help) stream.button(helpAction(end.help));
			if (outcome === "limit")
				stream.markdown(`\n\n${t("{0} To resume, reply “continue”.", end?.error ?? t("The turn reached the step limit."))}`);
			return result(outcome === "failed" || outcome === "interrupted" ? (end?.error ?? t("The turn failed.")) : undefined);
		} finally {
			stopping.dispose();
			told.dispose();
		}
	} catch (error) {
		doors.log.error(error instanceof Error ? error : String(error));
		return result(error instanceof Error ? error.message : String(error));
	}
}

/** One session for each chat there: the one its earlier answers name. */
async function conversationFor({ sessions }: Engine, { history }: vscode.ChatContext, command: string | undefined): Promise<Session> {
	const role = command === undefined ? undefined : sessions.services.roles().find((each) => each.command?.name === command)?.id;
	const named = history.flatMap((turn) => ("result" in turn ? [turn.result.metadata?.["session"]] : [])).at(-1);
	const known = (await sessions.list()).find(({ sessionId }) => sessionId === named);
	if (!known) return sessions.get((await sessions.create(role === undefined ? {} : { role })).sessionId);
	const conversation = await sessions.get(known.sessionId);
	if (role !== undefined) await conversation.setRole(role, BY);
	return conversation;
}

/** Files and places that the request refers to are mentioned, and come along as in our own composer; what is text is quoted. */
async function messageOf(
	conversation: Session,
	{ request: { prompt, references }, stream, signal }: Pick<Asked, "request" | "stream"> & { signal: AbortSignal },
): Promise<Message> {
	const { services } = conversation;
	// As it is now: what is brought along may take a while.
	const line = createContextLine(services);
	const named = references.flatMap(({ value }) => {
		if (value instanceof vscode.Uri) return [formatMention(value)];
		return value instanceof vscode.Location ? [formatMention(value.uri, selectedLines(value.range))] : [];
	});
	const texts = references.flatMap(({ value }) => (typeof value === "string" ? [`\n${quoted(value)}\n`] : []));
	// What a quoted text says with an @ is nobody's wish here.
	const asked = [prompt.trim() || t("Look at this."), ...named].join(" ");
	const text = [asked, ...texts].join(" ");
	const { attachments, notes } = await resolveMentions(asked, { conversation, signal, confirm: NOT_FROM_HERE, scale: NO_PICTURES });
	if (notes.length > 0) stream.markdown(`${notes.map((note) => `> ${note}`).join("\n")}\n\n`);
	const context = await line;
	return { text, ...(attachments.length > 0 && { attachments }), ...(context !== undefined && { context }) };
}

/** What is in a protected place is sent from Troupe's own chat, where the person is sure to have said so. */
const NOT_FROM_HERE = async (): Promise<boolean> => false;

const NO_PICTURES = (): Promise<never> => Promise.reject(new Error(t("images can only be attached in the Troupe chat.")));

const MOST_QUOTED = 20_000;

function quoted(text: string): string {
	return text
		.slice(0, MOST_QUOTED)
		.split("\n")
		.map((line) => `> ${line}`)
		.join("\n");
}

function sinkOf(stream: vscode.ChatResponseStream, sessionId: string): ExternalChatOutput {
	const lead = (title: string): void => stream.button({ title, command: "troupe.showWaiting", arguments: [{ sessionId }] });
	const cards: { [K in ExternalChatCard["kind"]]: (card: Extract<ExternalChatCard, { kind: K }>) => void } = {
		plan: () => lead(t("Execute Plan…")),
		question: () => lead(t("Answer in Troupe")),
		approval({ summary, reason }) {
			const text = new vscode.MarkdownString().appendMarkdown(`\n\n**${t("Waiting for your approval in the Troupe view:")}** `);
			stream.markdown(text.appendText(visibleText(summary)).appendMarkdown("  \n").appendText(visibleLine(reason)).appendMarkdown("\n\n"));
			lead(t("Show Approval"));
		},
	};
	return {
		markdown: (text) => stream.markdown(text),
		progress: (text) => stream.progress(text.replace(/\p{Cc}+/gu, " ")),
		card: (card) => (cards[card.kind] as (card: ExternalChatCard) => void)(card),
	};
}
