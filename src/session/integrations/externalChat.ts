// Relays a turn to an external chat: streamed text, tool call progress, and references to pending cards.
import type { Author, EventOf, TranscriptEvent } from "../../core/events.ts";
import type { TurnEnd } from "../context.ts";
import { formatPlanAsMarkdown } from "../history/exportSession.ts";
import type { Message } from "../messageQueue.ts";
import type { Session } from "../session.ts";
import type { Sessions } from "../sessions.ts";

/** What such a chat can show. Nothing is approved from there: a card is only pointed at. */
export interface ExternalChatOutput {
	/** More of the answer, as Markdown. */
	markdown(text: string): void;
	/** What is done now, as plain text. */
	progress(text: string): void;
	/** Something waits in Troupe's view. */
	card(card: ExternalChatCard): void;
}

export type ExternalChatCard = { kind: "plan" } | { kind: "question" } | { kind: "approval"; summary: string; reason: string };

/** Tells `sink` what happens in the session from now on. */
export function relayToExternalChat(sessions: Sessions, session: Session, sink: ExternalChatOutput): { dispose(): void } {
	const words = new HeldWords(sink);
	const tell: { [T in TranscriptEvent["type"]]?: (event: EventOf<T>) => void } = {
		assistant(event) {
			words.end(event.text);
			for (const call of event.calls ?? []) sink.progress(summaryOf(session, call));
		},
		plan(event) {
			words.drop();
			sink.markdown(`\n\n${formatPlanAsMarkdown(event.plan)}\n\n`);
			sink.card({ kind: "plan" });
		},
		question({ question }) {
			words.drop();
			const options = (question.options ?? []).map(({ label, description }) => `- **${label}**${description ? `: ${description}` : ""}`);
			sink.markdown(`\n\n${[question.question, ...options].join("\n")}\n\n`);
			sink.card({ kind: "question" });
		},
		asked: ({ summary, reason }) => sink.card({ kind: "approval", summary, reason }),
		ended: () => words.flush(),
	};
	return sessions.listen({
		event(id, event) {
			if (id !== session.sessionId) return;
			(tell[event.type] as ((event: TranscriptEvent) => void) | undefined)?.(event);
		},
		live(id, event) {
			if (id === session.sessionId && event.type === "delta") words.add(event.text);
		},
	});
}

/** Passes words on, and holds back what may turn out to be a plan or a question in JSON until that is known. */
class HeldWords {
	private readonly sink: ExternalChatOutput;
	private text = "";
	private told = 0;
	private whole = false;

	constructor(sink: ExternalChatOutput) {
		this.sink = sink;
	}

	add(words: string): void {
		if (this.whole) this.flush();
		this.text += words;
		this.tell(heldFrom(this.text, this.told));
	}

	/** The answer is whole; the stream may have shown less of it. */
	end(whole: string): void {
		if (this.whole) this.flush();
		if (whole.startsWith(this.text)) this.text = whole;
		this.whole = true;
		const from = heldFrom(this.text, this.told);
		if (from === this.text.length) this.flush();
		else this.tell(from);
	}

	/** It was shown as something else. */
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

/** Where that begins in a text which may turn out to be a card: its end, where nothing of it may. */
function heldFrom(text: string, told: number): number {
	const lines = /(?<=^|\n)[ \t]*(?=\{|`|~|\n|$)/g;
	lines.lastIndex = told;
	for (const { index } of text.matchAll(lines)) if (mayBeCard(text.slice(index))) return index;
	return text.length;
}

/** Whether a text begins as JSON does, in a fence or not, and nothing stands behind that fence; nothing at all may go on so. */
function mayBeCard(text: string): boolean {
	return /^\s*($|\{|`{1,2}$|(`{3,}|~{3,})([^\n]*$|[^\n]*\n\s*($|\{)))/.test(text) && !/^\s*(`{3,}|~{3,})[\s\S]*?\n\1\s*\S/.test(text);
}

/** What a call does, as its tool says it; its name where the input does not fit. */
function summaryOf({ services }: Session, { name, input }: { name: string; input: unknown }): string {
	const tool = services.tools.find((candidate) => candidate.name === (services.aliases[name] ?? name));
	const parsed = tool?.input.safeParse(input);
	return tool && parsed?.success ? tool.summary(parsed.data) : name;
}

/** Sends a message. The signal stops the turn that it began, and takes it back where it waits for another one's. */
export async function sendExternalMessage(session: Session, message: Message, by: Author, signal: AbortSignal): Promise<TurnEnd> {
	if (signal.aborted) return { outcome: "cancelled", turn: "" };
	const withdraw = (): void => void session.withdraw(message);
	signal.addEventListener("abort", withdraw, { once: true });
	try {
		return await session.send(message, by);
	} finally {
		signal.removeEventListener("abort", withdraw);
	}
}
