// Appends events to a transcript in order, flushes critical ones, and keeps failed writes for retry.
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import type { EventType, TranscriptEvent } from "../../core/events.ts";
import { type BlobStore, StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { errorCode, FILE_MODE, type StorageFileSystem, syncFolder } from "../fileSystem.ts";
import { toWriteError } from "../storageErrors.ts";
import { spill } from "./spill.ts";
import { hasTornTail, repairTail } from "./tailRepair.ts";

/** Milliseconds until a failed write is retried. */
const RETRY = 1_000;

const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

/** Event types that must not be lost; they are flushed to disk before the next step. */
const FLUSHED: Readonly<Record<EventType, boolean>> = {
	user: true,
	reply: true,
	queued: true,
	unqueued: true,
	asked: true,
	answered: true,
	result: true,
	plan: true,
	question: true,
	role: true,
	compacted: true,
	ended: true,
	started: false,
	assistant: false,
	step: false,
	expired: false,
	agent: false,
	rewound: false,
	delegated: true,
	task: true,
	status: false,
};

interface WriterOptions {
	files: StorageFileSystem;
	blobs: BlobStore;
	/** Runs the work while no other host holds the session; returns false without running it if one does. */
	alone(work: () => Promise<void>): Promise<boolean>;
	/** Reports why writing stopped, and undefined when it resumes. */
	report(problem: StorageError | undefined): void;
	written(): void;
}

interface Entry {
	json: string;
	flush: boolean;
	resolve(): void;
	reject(problem: StorageError): void;
}

export class TranscriptWriter {
	readonly #path: string;
	readonly #around: WriterOptions;
	readonly #queue: Entry[] = [];
	#handle: FileHandle | undefined;
	#inode = 0;
	/** File size after our last write. */
	#end = 0;
	/** The file ends with an incomplete line that we may not repair: begin with a newline. */
	#torn = false;
	#failed = false;
	#closed = false;
	#running: Promise<void> | undefined;
	#timer: NodeJS.Timeout | undefined;

	constructor(path: string, around: WriterOptions) {
		this.#path = path;
		this.#around = around;
	}

	/** Events waiting to be written. */
	get pendingEvents(): readonly TranscriptEvent[] {
		return this.#queue.map((entry) => JSON.parse(entry.json) as TranscriptEvent);
	}

	get pendingCount(): number {
		return this.#queue.length;
	}

	get isOpen(): boolean {
		return this.#handle !== undefined;
	}

	/** Resolves when the event is in the file. Rejects with StorageError if it must wait in memory until writing succeeds. */
	append(event: TranscriptEvent): Promise<void> {
		const json = JSON.stringify(event);
		const flush = FLUSHED[event.type] || (event.type === "assistant" && (event.calls?.length ?? 0) > 0);
		return new Promise((resolve, reject) => {
			this.#queue.push({ json, flush, resolve, reject });
			this.#kick();
		});
	}

	/** Runs the work with appending paused and the file closed. Rejects while events are waiting, unless they are dropped. */
	async runExclusive<T>(work: () => Promise<T>, drop = false): Promise<T> {
		while (this.#running !== undefined) await this.#running;
		const job = this.#alone(work, drop);
		this.#running = job.then(
			() => undefined,
			() => undefined,
		);
		try {
			return await job;
		} finally {
			this.#running = undefined;
			this.#kick();
		}
	}

	/** Tries once more to write waiting events, then closes the file. Returns the number of events that were not written. */
	async close(): Promise<number> {
		this.#kick();
		while (this.#running !== undefined) await this.#running;
		const lost = this.#queue.length;
		await this.runExclusive(async () => undefined, true);
		this.#closed = true;
		return lost;
	}

	async #alone<T>(work: () => Promise<T>, drop: boolean): Promise<T> {
		if (drop) this.#drop();
		if (this.#queue.length > 0) {
			throw new StorageError(
				t("Some events of this session are not written to disk yet. Nothing was changed. Try again in a moment."),
				"EBUSY",
			);
		}
		await this.#letGo();
		return work();
	}

	#drop(): void {
		const gone = new StorageError(t("The session was closed before this event was written."), "ECANCELED");
		for (const entry of this.#queue.splice(0)) entry.reject(gone);
		this.#recover();
	}

	#kick(): void {
		if (this.#running || this.#closed || this.#queue.length === 0) return;
		clearTimeout(this.#timer);
		this.#running = this.#drain().finally(() => {
			this.#running = undefined;
			// Events may have been queued since the last check.
			if (!this.#failed) this.#kick();
		});
	}

	async #drain(): Promise<void> {
		while (this.#queue.length > 0) {
			// After a failure, writes one event at a time, so that those that fit are saved.
			const batch = this.#queue.slice(0, this.#failed ? 1 : this.#queue.length);
			try {
				await this.#write(batch);
			} catch (cause) {
				this.#fail(cause);
				return;
			}
			this.#queue.splice(0, batch.length);
			for (const entry of batch) entry.resolve();
			this.#around.written();
		}
		this.#recover();
	}

	async #write(batch: readonly Entry[]): Promise<void> {
		const lines: string[] = [];
		for (const entry of batch) lines.push(await spill(entry.json, this.#around.blobs));
		const handle = await this.#ready();
		const start = this.#end;
		try {
			for (const line of lines) await this.#put(handle, line);
			if (batch.some((entry) => entry.flush)) await handle.datasync();
		} catch (cause) {
			await this.#truncate(handle, start);
			throw cause;
		}
	}

	/** One write per record; more only if the disk accepts it in parts. */
	async #put(handle: FileHandle, line: string): Promise<void> {
		const bytes = Buffer.from(`${this.#torn ? "\n" : ""}${line}\n`);
		let offset = 0;
		while (offset < bytes.length) {
			const { bytesWritten } = await handle.write(bytes, offset, bytes.length - offset, null);
			if (bytesWritten === 0) throw Object.assign(new Error("the disk took nothing"), { code: "ENOSPC" });
			offset += bytesWritten;
			this.#end += bytesWritten;
		}
		this.#torn = false;
	}

	/** Truncates a partial write unless another process has written after it; the next writer then repairs the file. */
	async #truncate(handle: FileHandle, start: number): Promise<void> {
		try {
			const { size } = await handle.stat();
			if (size === this.#end && size > start) await handle.truncate(start);
		} catch {
			// The disk that failed the write fails this too; the tail is checked when the file is reopened.
		}
		await this.#letGo();
	}

	async #ready(): Promise<FileHandle> {
		if (this.#handle) {
			const seen = await this.#around.files.stat(this.#path).catch(() => undefined);
			if (seen?.ino !== this.#inode) await this.#letGo();
			else if (seen.size !== this.#end) {
				this.#torn = await hasTornTail(this.#handle, seen.size);
				this.#end = seen.size;
			}
		}
		return this.#handle ?? (await this.#open());
	}

	async #open(): Promise<FileHandle> {
		const handle = await this.#around.files.open(this.#path, FLAGS, FILE_MODE);
		try {
			const { size } = await handle.stat();
			if (size === 0) await syncFolder(this.#around.files, dirname(this.#path));
			this.#torn = await hasTornTail(handle, size);
			if (this.#torn) {
				await this.#around.alone(() => repairTail(this.#around.files, handle, this.#path));
				this.#torn = await hasTornTail(handle, (await handle.stat()).size);
			}
			const { size: end, ino } = await handle.stat();
			this.#end = end;
			this.#inode = ino;
			this.#handle = handle;
			return handle;
		} catch (cause) {
			await handle.close().catch(() => undefined);
			throw cause;
		}
	}

	async #letGo(): Promise<void> {
		const handle = this.#handle;
		this.#handle = undefined;
		await handle?.close().catch(() => undefined);
	}

	#fail(cause: unknown): void {
		const problem = toWriteError(cause instanceof StorageError ? { code: errorCode(cause) } : cause, this.#queue.length);
		this.#failed = true;
		for (const entry of this.#queue) entry.reject(problem);
		this.#around.report(problem);
		this.#timer = setTimeout(() => this.#kick(), RETRY).unref();
	}

	#recover(): void {
		clearTimeout(this.#timer);
		if (!this.#failed) return;
		this.#failed = false;
		this.#around.report(undefined);
	}
}
