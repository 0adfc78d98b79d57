// Throttles streamed text to the UI, and checkpoints it about once a second.

// The UI gets at most ten updates a second.
import type { LiveEvent } from "../../core/events.ts";
import type { SessionContext } from "../sessionContext.ts";

/** Milliseconds. Each flush makes the webview repaint. */
const FLUSH = 100;
const CHECKPOINT = 1_000;

export class DeltaBuffer {
	private readonly session: SessionContext;
	private readonly isSpoken: boolean;
	private text = "";
	private unsent = "";
	private flushTimer: NodeJS.Timeout | undefined;
	private checkpointTimer: NodeJS.Timeout | undefined;
	private lastFlush = 0;
	private checkpointed = false;

	/** The UI learns only that text arrives if it is not spoken. */
	constructor(session: SessionContext, isSpoken: boolean) {
		this.session = session;
		this.isSpoken = isSpoken;
		session.spoken = () => this.text.slice(0, this.text.length - this.unsent.length);
	}

	take(event: LiveEvent): void {
		if (event.type !== "delta") {
			this.session.eventLog.live(event);
			return;
		}
		if (!this.isSpoken) {
			this.showThinking();
			return;
		}
		this.text += event.text;
		this.unsent += event.text;
		this.checkpointTimer ??= setTimeout(() => this.checkpoint(), CHECKPOINT);
		if (this.flushTimer) return;
		const wait = this.lastFlush + FLUSH - Date.now();
		if (wait <= 0) this.flush();
		else this.flushTimer = setTimeout(() => this.flush(), wait);
	}

	/** Runs `keep`, which saves the answer as an event, and then removes the checkpoint. */
	async become<T>(keep: () => Promise<T>): Promise<T> {
		clearTimeout(this.flushTimer);
		clearTimeout(this.checkpointTimer);
		this.flushTimer = undefined;
		this.checkpointTimer = undefined;
		const checkpointed = this.checkpointed;
		this.text = "";
		this.unsent = "";
		this.checkpointed = false;
		const result = await keep();
		if (checkpointed) await this.save(undefined);
		return result;
	}

	private showThinking(): void {
		if (Date.now() < this.lastFlush + CHECKPOINT) return;
		this.lastFlush = Date.now();
		this.session.eventLog.live({ type: "delta", text: "" });
	}

	private flush(): void {
		this.flushTimer = undefined;
		this.lastFlush = Date.now();
		if (this.unsent === "") return;
		this.session.eventLog.live({ type: "delta", text: this.unsent });
		this.unsent = "";
	}

	private checkpoint(): void {
		this.checkpointTimer = undefined;
		this.checkpointed = true;
		void this.save(this.text);
	}

	private async save(text: string | undefined): Promise<void> {
		const { services, sessionId } = this.session;
		try {
			await services.store.saveCheckpoint(sessionId, text);
		} catch (error) {
			services.log(`checkpoint failed: ${String(error)}`);
		}
	}
}
