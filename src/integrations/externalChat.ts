// Relays a turn to an external chat: streamed text, tool call progress, and references to pending cards.
import { randomUUID } from "node:crypto";
import { type Channel, isSameChannel } from "../core/channel.ts";
import type { Author, EventOf, TranscriptEvent } from "../core/events.ts";
import { saidIn, spokenBy } from "../core/transcript/spoken.ts";
import type { Session } from "../session/session.ts";
import type { TurnEnd } from "../session/sessionContext.ts";
import type { Message } from "../session/state/message.ts";
import { formatPlanAsMarkdown } from "../sessions/exportSession.ts";
import type { Sessions } from "../sessions/sessions.ts";

/** Output that an external chat can show. It can't approve anything, only refer to a card. */
export interface ExternalChatOutput {
	/** Appends Markdown to the answer. */
	markdown(text: string): void;
	/** Current activity, as plain text. */
	progress(text: string): void;
	/** Something is pending in Troupe's view. */
	card(card: ExternalChatCard): void;
}

export type ExternalChatCard = { kind: "plan" } | { kind: "question" } | { kind: "approval"; summary: string; reason: string };

/** Relays the turn that takes the message with that id to `sink`, from then on. What was said to other channels is left out. */
export function relayToExternalChat(sessions: Sessions, session: Session, sink: ExternalChatOutput, message: string): { dispose(): void } {
	const answer = new CardBuffer(sink);
	let taken: { turn: string | undefined; channel: Channel | undefined } | undefined;
	const isRelayed = (turn: string | undefined) => taken !== undefined && taken.turn === turn;
	const handlers: { [T in TranscriptEvent["type"]]?: (event: EventOf<T>) => void } = {
		assistant(event) {
			answer.end(spokenBy(event).text);
			for (const call of event.calls ?? []) sink.progress(summaryOf(session, call));
		},
		reply(event) {
			const said = saidIn(event, (channel) => taken?.channel !== undefined && isSameChannel(taken.channel, channel));
			if (said !== "") sink.markdown(`${said}\n\n`);
		},
		plan(event) {
			answer.drop();
			sink.markdown(`\n\n${formatPlanAsMarkdown(event.plan)}\n\n`);
			sink.card({ kind: "plan" });
		},
		question({ question }) {
			answer.drop();
			const options = (question.options ?? []).map(({ label, description }) => `- **${label}**${description ? `: ${description}` : ""}`);
			sink.markdown(`\n\n${[question.question, ...options].join("\n")}\n\n`);
			sink.card({ kind: "question" });
		},
		asked: ({ summary, reason }) => sink.card({ kind: "approval", summary, reason }),
		ended: () => answer.flush(),
	};
	return sessions.listen({
		event(id, event) {
			if (id !== session.sessionId) return;
			const { turn } = event;
			// A message that begins a turn gives it its id.
			if (event.type === "user" && (event.message ?? turn) === message) taken = { turn, channel: event.channel };
			if (isRelayed(turn)) (handlers[event.type] as ((event: TranscriptEvent) => void) | undefined)?.(event);
		},
		live(id, event) {
			if (id === session.sessionId && event.type === "delta" && isRelayed(session.state.turn?.id)) answer.add(event.text);
		},
	});
}

/** Streams text, but buffers what may turn out to be a plan or a question in JSON. */
class CardBuffer {
	private readonly sink: ExternalChatOutput;
	private text = "";
	private told = 0;
	private whole = false;

	constructor(sink: ExternalChatOutput) {
		this.sink = sink;
	}

	add(text: string): void {
		if (this.whole) this.flush();
		this.text += text;
		this.tell(findCardStart(this.text, this.told));
	}

	/** The answer is complete; the stream may have delivered less. */
	end(whole: string): void {
		if (this.whole) this.flush();
		if (whole.startsWith(this.text)) this.text = whole;
		this.whole = true;
		const from = findCardStart(this.text, this.told);
		if (from === this.text.length) this.flush();
		else this.tell(from);
	}

	/** Discards text that was shown in another form. */
	drop(): void {
		this.text = "";
		this.told = 0;
		this.whole = false;
	}

	flush(): void {
		this.tell();
		if (this.text.trim()) this.sink.markdown("\n\n");
		this.drop();
	}

	private tell(end = this.text.length): void {
		if (this.told < end) this.sink.markdown(this.text.slice(this.told, end));
		this.told = Math.max(this.told, end);
	}
}

/** The index where a possible card begins; the text's end if there is none. */
function findCardStart(text: string, told: number): number {
	const lines = /(?<=^|\n)[ \t]*(?=\{|`|~|\n|$)/g;
	lines.lastIndex = told;
	for (const { index } of text.matchAll(lines)) if (mayBeCard(text.slice(index))) return index;
	return text.length;
}

/** Returns true if text begins like JSON, optionally fenced, with nothing after the fence. Text without content may still do so. */
function mayBeCard(text: string): boolean {
	return /^\s*($|\{|`{1,2}$|(`{3,}|~{3,})([^\n]*$|[^\n]*\n\s*($|\{)))/.test(text) && !/^\s*(`{3,}|~{3,})[\s\S]*?\n\1\s*\S/.test(text);
}

/** The tool's summary of a call; the tool's name if the input is invalid. */
function summaryOf({ services }: Session, { name, input }: { name: string; input: unknown }): string {
	const tool = services.tools.find((candidate) => candidate.name === (services.aliases[name] ?? name));
	const parsed = tool?.input.safeParse(input);
	return tool && parsed?.success ? tool.summary(parsed.data) : name;
}

/** Sends a message. The signal stops the turn that the message began, or removes the message from the queue. */
export async function sendExternalMessage(session: Session, message: Message, by: Author, signal: AbortSignal): Promise<TurnEnd> {
	if (signal.aborted) return { outcome: "cancelled", turn: "" };
	const { id = randomUUID() } = message;
	const cancel = (): void => void session.cancelMessage(id);
	signal.addEventListener("abort", cancel, { once: true });
	try {
		return await session.send({ ...message, id }, by);
	} finally {
		signal.removeEventListener("abort", cancel);
	}
}
