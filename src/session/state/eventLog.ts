// Writes a session's events in order: to disk, then to memory, then to listeners.

import { randomUUID } from "node:crypto";
import type { Author, EventBody, LiveEvent, TranscriptEvent } from "../../core/events.ts";
import { type SessionStore, StorageError } from "../../core/ports/sessions.ts";
import { applyEvent, createTranscript } from "../../core/transcript/fold.ts";
import { isEarlierEventHidden, replaceTranscript } from "../../core/transcript/partialTranscript.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { stripEventDetails } from "../../core/transcript/trimResult.ts";
import { Serial } from "../../shared/node/serial.ts";

export interface EventLogListener {
	event(sessionId: string, event: TranscriptEvent): void;
	live(sessionId: string, event: LiveEvent): void;
}

/** An existing event, or a new one without the fields that the event log adds. */
export type RestartEvent = TranscriptEvent | EventBody;

export class EventLog {
	state: Transcript = createTranscript();
	private readonly changes = new Serial();
	private readonly store: SessionStore;
	private readonly sessionId: string;
	private readonly listener: EventLogListener;
	private readonly now: () => Date;
	private saved = true;

	constructor(options: { store: SessionStore; sessionId: string; listener: EventLogListener; now: () => Date }) {
		this.store = options.store;
		this.sessionId = options.sessionId;
		this.listener = options.listener;
		this.now = options.now;
	}

	/** False while the disk refuses events, which stay in memory until it takes them. */
	get isSaved(): boolean {
		return this.saved;
	}

	/** Loads the transcript from disk (of a long session, only its end); returns the number of unreadable lines. */
	async load(reportProgress?: (part: number) => void): Promise<number> {
		const { state, damaged } = await this.store.load(this.sessionId, reportProgress);
		this.state = state;
		return damaged;
	}

	/** Loads what another host has written since; false if nothing has changed. */
	async refresh(): Promise<boolean> {
		const { state } = await this.store.load(this.sessionId);
		if (state.events.at(-1)?.id === this.state.events.at(-1)?.id) return false;
		this.state = state;
		return true;
	}

	/** Loads the events before the current window, as far as the fold, the model and rewinding need them. */
	whole(reportProgress?: (part: number) => void): Promise<void> {
		return this.changes.run(() => this.bringBack(reportProgress));
	}

	/** Resolves when the event is on disk or, if writing fails, in memory until it can be written. */
	emit(body: EventBody, by: Author, turn?: string): Promise<TranscriptEvent> {
		return this.changes.run(() => this.write(body, by, turn));
	}

	/**
	 * Moves the events to an archive and atomically replaces them with those that `begin` returns. Rejects with StorageError,
	 * leaving everything unchanged, if writing fails.
	 */
	restart(begin: (archive: string) => readonly RestartEvent[]): Promise<void> {
		return this.changes.run(() => this.replace(begin));
	}

	private async bringBack(reportProgress: (part: number) => void = () => undefined): Promise<void> {
		const { before, trimmed = 0 } = this.state;
		if (!before) return;
		const whole = createTranscript(await this.store.identity(this.sessionId));
		let reported = 0;
		for await (const event of this.store.stream(this.sessionId)) {
			const hidden = isEarlierEventHidden(before, event.seq);
			applyEvent(whole, event.seq <= before.seq ? stripEventDetails(event, { hidden, trimmed, calls: whole.calls }) : event);
			if (event.seq < reported + before.seq / 100) continue;
			reported = event.seq;
			reportProgress(Math.min(1, event.seq / before.seq));
		}
		replaceTranscript(this.state, { ...whole, lean: before.seq });
	}

	live(event: LiveEvent): void {
		this.listener.live(this.sessionId, event);
	}

	private async replace(begin: (archive: string) => readonly RestartEvent[]): Promise<void> {
		const { store, sessionId } = this;
		let events: TranscriptEvent[] = [];
		await store.archive(sessionId, (archive) => {
			events = begin(archive).map((body, index) => {
				const fresh = { id: randomUUID(), at: this.now().toISOString(), by: "host" as const };
				return { ...fresh, ...body, seq: index + 1 } as TranscriptEvent;
			});
			return events;
		});
		const { agent, role } = this.state;
		replaceTranscript(this.state, events.reduce(applyEvent, createTranscript({ agentId: agent, role })));
	}

	private async write(body: EventBody, by: Author, turn: string | undefined): Promise<TranscriptEvent> {
		const event = {
			id: randomUUID(),
			seq: this.state.seq + 1,
			at: this.now().toISOString(),
			...(turn !== undefined && { turn }),
			by,
			...body,
		} as TranscriptEvent;
		try {
			await this.store.append(this.sessionId, event);
			this.saved = true;
		} catch (error) {
			// The store keeps it in order and retries; its health report warns the user.
			if (!(error instanceof StorageError)) throw error;
			this.saved = false;
		}
		applyEvent(this.state, event);
		this.listener.event(this.sessionId, event);
		return event;
	}
}

/** Reports how far a long transcript is read: `read` gets a callback for its progress from 0 to 1; listeners get undefined at the end. */
export async function reportReadProgress<T>(
	listener: { reading(sessionId: string, part: number | undefined): void },
	sessionId: string,
	read: (report: (part: number) => void) => Promise<T>,
): Promise<T> {
	let started = false;
	try {
		return await read((part) => {
			started = true;
			listener.reading(sessionId, part);
		});
	} finally {
		if (started) listener.reading(sessionId, undefined);
	}
}
