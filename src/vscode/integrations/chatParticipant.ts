// The `@troupe` participant in VS Code's chat, with the same sessions and gate.

// Approvals and plans are answered only in Troupe's view; the participant shows buttons that open it.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { resolveMentions } from "../../chat/mentions/resolveMentions.ts";
import type { EventOf } from "../../core/events.ts";
import { DRAWN, toOneLine } from "../../core/hiddenText.ts";
import { UserError } from "../../core/userError.ts";
import {
	type ExternalChatCard,
	type ExternalChatOutput,
	relayToExternalChat,
	sendExternalMessage,
} from "../../integrations/externalChat.ts";
import { createContextLine } from "../../session/prompt/editorContext.ts";
import type { Session } from "../../session/session.ts";
import type { Message } from "../../session/state/message.ts";
import { t } from "../../shared/l10n.ts";
import { describeForLog, reasonOf } from "../../shared/reasonOf.ts";
import { visibleLine, visibleText } from "../../shared/safeText.ts";
import { selectedLines } from "../adapters/selectedLines.ts";
import type { Engine } from "../engine.ts";
import { helpAction } from "../errorNotifications.ts";
import { formatMention } from "../mentions/editorFacts.ts";
import type { IntegrationContext } from "./integrationContext.ts";

interface Asked {
	request: vscode.ChatRequest;
	context: vscode.ChatContext;
	stream: vscode.ChatResponseStream;
	token: vscode.CancellationToken;
}

/** Any extension can write to that chat, so its messages are not recorded as the user's. */
const ACTOR = "channel:VS Code chat";

export async function handleChatRequest(ctx: IntegrationContext, { request, context, stream, token }: Asked): Promise<vscode.ChatResult> {
	let sessionId: string | undefined;
	const result = (message?: string): vscode.ChatResult => ({
		...(message !== undefined && { errorDetails: { message } }),
		...(sessionId !== undefined && { metadata: { session: sessionId } }),
	});
	try {
		const engine = await ctx.engine.load();
		const session = await resolveSession(engine, context, request.command);
		sessionId = session.sessionId;
		const id = randomUUID();
		const relay = relayToExternalChat(engine.sessions, session, sinkOf(stream, sessionId), id);
		const stop = new AbortController();
		const stopping = token.onCancellationRequested(() => stop.abort());
		try {
			const message = await messageOf(session, { request, stream, signal: stop.signal });
			const { outcome, turn } = await sendExternalMessage(session, { ...message, id }, ACTOR, stop.signal);
			const end = session.state.events.find((event): event is EventOf<"ended"> => event.type === "ended" && event.turn === turn);
			if (end?.help) stream.button(helpAction(end.help));
			if (outcome === "limit")
				stream.markdown(`\n\n${end?.error ?? t("The turn reached the step limit.")}\n\n${t("To resume, reply “continue”.")}`);
			return result(outcome === "failed" || outcome === "interrupted" ? (end?.error ?? t("The turn failed.")) : undefined);
		} finally {
			stopping.dispose();
			relay.dispose();
		}
	} catch (error) {
		ctx.log.error(describeForLog(error));
		return result(reasonOf(error, undefined));
	}
}

/** One session for each chat there: the one its earlier answers name. */
async function resolveSession({ sessions }: Engine, { history }: vscode.ChatContext, command: string | undefined): Promise<Session> {
	const role = command === undefined ? undefined : sessions.policy.roles().find((each) => each.command?.name === command)?.id;
	const named = history.flatMap((turn) => ("result" in turn ? [turn.result.metadata?.["session"]] : [])).at(-1);
	const known = (await sessions.list()).find(({ sessionId }) => sessionId === named);
	if (!known) return sessions.get((await sessions.create(role === undefined ? {} : { role })).sessionId);
	const session = await sessions.get(known.sessionId);
	if (role !== undefined) await session.setRole(role, ACTOR);
	return session;
}

/** References to files and locations become mentions and attachments as in our composer; text references are quoted. */
async function messageOf(
	session: Session,
	{ request: { prompt, references }, stream, signal }: Pick<Asked, "request" | "stream"> & { signal: AbortSignal },
): Promise<Message> {
	const { services } = session;
	// Read now, since attachments may take a while.
	const line = createContextLine(services);
	const named = references.flatMap(({ value }) => {
		if (value instanceof vscode.Uri) return [formatMention(value)];
		return value instanceof vscode.Location ? [formatMention(value.uri, selectedLines(value.range))] : [];
	});
	const texts = references.flatMap(({ value }) => (typeof value === "string" ? [`\n${quoted(value)}\n`] : []));
	// Mentions in quoted text are not resolved.
	const mentioned = [prompt.trim() || t("Look at this."), ...named].join(" ");
	const text = [mentioned, ...texts].join(" ");
	const { attachments, notes } = await resolveMentions(mentioned, { session, signal, confirm: denyProtected, scale: rejectImages });
	if (notes.length > 0) stream.markdown(`${notes.map((note) => `> ${note}`).join("\n")}\n\n`);
	const context = await line;
	return { text, ...(attachments.length > 0 && { attachments }), ...(context !== undefined && { context }) };
}

/** Protected files can only be attached in Troupe's own chat, where the request is known to be the user's. */
const denyProtected = async (): Promise<boolean> => false;

const rejectImages = (): Promise<never> => Promise.reject(new UserError(t("Images can only be attached in the Troupe chat.")));

const MAX_QUOTED = 20_000;

function quoted(text: string): string {
	return text
		.slice(0, MAX_QUOTED)
		.split("\n")
		.map((line) => `> ${line}`)
		.join("\n");
}

function sinkOf(stream: vscode.ChatResponseStream, sessionId: string): ExternalChatOutput {
	const addButton = (title: string): void => stream.button({ title, command: "troupe.showWaiting", arguments: [{ sessionId }] });
	const cards: { [K in ExternalChatCard["kind"]]: (card: Extract<ExternalChatCard, { kind: K }>) => void } = {
		plan: () => addButton(t("Execute Plan…")),
		question: () => addButton(t("Answer in Troupe")),
		approval({ summary, reason }) {
			const text = new vscode.MarkdownString().appendMarkdown(`\n\n**${t("Waiting for your approval in the Troupe view:")}** `);
			stream.markdown(text.appendText(visibleText(summary)).appendMarkdown("  \n").appendText(visibleLine(reason)).appendMarkdown("\n\n"));
			addButton(t("Show Approval"));
		},
	};
	return {
		markdown: (text) => stream.markdown(text),
		progress: (text) => stream.progress(toOneLine(text, ...DRAWN)),
		card: (card) => (cards[card.kind] as (card: ExternalChatCard) => void)(card),
	};
}
