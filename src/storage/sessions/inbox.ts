// Keeps messages for sessions of other windows as files, and reports arrivals to the owner.
import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import { type InboxMessage, StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { createListeners } from "../../shared/listeners.ts";
import { errorCode, FOLDER_MODE, isNotFound, parseJson, type StorageFileSystem, syncFolder, writeAtomically } from "../fileSystem.ts";
import { withFileLock } from "../json/fileLock.ts";
import { throwSessionNotFound } from "../storageErrors.ts";
import { nameFolder } from "./sessionPaths.ts";

/** Folder beside the transcript; present once a message has arrived. */
export const INBOX_FOLDER = "inbox";
const MAX_WAITING = 100;
/** Maximum bytes of a message's JSON. */
const MAX_BYTES = 64 * 1024;
/** Milliseconds of arrival, then the message's id in a form that is safe as a file name. */
const MESSAGE_FILE = /^(\d{15})-([0-9a-fx-]+)\.json$/;
const LATEST = 999_999_999_999_999;

interface Inbox {
	/** `folder` is that of an existing session. Rejects with StorageError. */
	post(folder: string, message: InboxMessage): Promise<void>;
	/** Returns the messages, oldest first; sets invalid files aside. */
	read(folder: string): Promise<InboxMessage[]>;
	take(folder: string, id: string): Promise<void>;
}

export function createInbox(files: StorageFileSystem, now: () => Date, log: (line: string) => void): Inbox {
	async function write(folder: string, id: string, text: string): Promise<void> {
		const inbox = join(folder, INBOX_FOLDER);
		const name = nameFolder(id);
		await withFileLock(files, join(folder, `${INBOX_FOLDER}.lock`), async () => {
			await makeInbox(folder);
			const waiting = await listWaiting(files, inbox);
			if (waiting.some((file) => MESSAGE_FILE.exec(file)?.[2] === name)) return;
			if (waiting.length >= MAX_WAITING) {
				throw new StorageError(
					t(
						"{0} messages are already waiting in this session. This one was not sent. Wait until some are answered, then send it again.",
						MAX_WAITING,
					),
					"INBOX_FULL",
				);
			}
			// Another window may have died before it flushed a new inbox.
			if (waiting.length === 0) await syncFolder(files, folder);
			const newest = waiting.findLast((file) => MESSAGE_FILE.test(file));
			// Clocks of windows differ and go back; names must not.
			const time = Math.min(Math.max(now().getTime(), Number.parseInt(newest ?? "0", 10) + 1), LATEST);
			await writeAtomically(files, join(inbox, `${String(time).padStart(15, "0")}-${name}.json`), text);
		});
	}

	/** Creates no parent folders: the folder of a deleted session is not created again. */
	async function makeInbox(folder: string): Promise<void> {
		await files.mkdir(join(folder, INBOX_FOLDER), { mode: FOLDER_MODE }).catch((cause: unknown) => {
			if (errorCode(cause) !== "EEXIST") throw cause;
		});
	}

	/** Returns "invalid" if the file can never be read as a message; undefined if it has been taken or cannot be read now. */
	async function readOne(path: string, file: string): Promise<InboxMessage | "invalid" | undefined> {
		try {
			const stat = await files.stat(path);
			if (!stat.isFile() || stat.size > MAX_BYTES) return "invalid";
			const message = parseMessage(parseJson(await files.readFile(path, "utf8")));
			return message && MESSAGE_FILE.exec(file)?.[2] === nameFolder(message.id) ? message : "invalid";
		} catch (cause) {
			if (!isNotFound(cause)) log(`the message ${path} cannot be read now and stays in the inbox: ${String(cause)}`);
			return undefined;
		}
	}

	return {
		async post(folder, message) {
			const text = `${JSON.stringify(message)}\n`;
			if (Buffer.byteLength(text) > MAX_BYTES) {
				throw new StorageError(
					t(
						"The message is larger than {0} KB. It was not sent. Shorten it, or put the text in a file and name the file.",
						MAX_BYTES / 1024,
					),
					"E2BIG",
				);
			}
			for (let attempt = 1; ; attempt++) {
				try {
					return await write(folder, message.id, text);
				} catch (cause) {
					if (!isNotFound(cause)) throw cause;
					if (!(await files.stat(folder).catch(() => undefined))) throwSessionNotFound();
					// Another window is clearing the session.
					if (attempt === 3) throw cause;
				}
			}
		},
		async read(folder) {
			const inbox = join(folder, INBOX_FOLDER);
			const messages: InboxMessage[] = [];
			let invalid = 0;
			for (const file of await listWaiting(files, inbox)) {
				const path = join(inbox, file);
				const message = await readOne(path, file);
				if (message === "invalid") {
					invalid += 1;
					await files.rename(path, `${path}.corrupt`).catch((cause: unknown) => log(`${path} cannot be set aside: ${String(cause)}`));
				} else if (message) messages.push(message);
			}
			if (invalid > 0) log(`messages in ${inbox} that are not valid and were set aside: ${invalid}`);
			return messages;
		},
		async take(folder, id) {
			const inbox = join(folder, INBOX_FOLDER);
			const name = nameFolder(id);
			for (const file of await listWaiting(files, inbox)) {
				if (MESSAGE_FILE.exec(file)?.[2] === name) await files.rm(join(inbox, file), { force: true });
			}
		},
	};
}

/** File names of messages, oldest first. */
async function listWaiting(files: StorageFileSystem, inbox: string): Promise<string[]> {
	const names = await files.readdir(inbox).catch((cause: unknown) => {
		if (isNotFound(cause)) return [] as string[];
		throw cause;
	});
	return names.filter((name) => name.endsWith(".json") && !name.startsWith(".")).sort();
}

/** Validates what is on disk; fields that messages do not have are dropped. */
function parseMessage(value: unknown): InboxMessage | undefined {
	if (!isRecord(value) || !isRecord(value["message"])) return undefined;
	const { id, at, from, about, message } = value;
	const { text, images, attachments } = message;
	if (typeof id !== "string" || typeof at !== "string" || Number.isNaN(Date.parse(at)) || !isRecord(from)) return undefined;
	if (typeof text !== "string" || (about !== undefined && !isRecord(about))) return undefined;
	if (!isListOf(images, isBlobRef) || !isListOf(attachments, isAttachment)) return undefined;
	return { id, at, from, message: { text, ...(images && { images }), ...(attachments && { attachments }) }, ...(about && { about }) };
}

type Content = InboxMessage["message"];

function isListOf<T>(value: unknown, check: (item: unknown) => item is T): value is T[] | undefined {
	return value === undefined || (Array.isArray(value) && value.every(check));
}

function isBlobRef(value: unknown): value is NonNullable<Content["images"]>[number] {
	if (!isRecord(value) || typeof value["blob"] !== "string" || !/^[0-9a-f]{64}$/.test(value["blob"])) return false;
	return Number.isSafeInteger(value["size"]) && isOptionalText(value["mime"]);
}

type Attachment = NonNullable<Content["attachments"]>[number];

const ATTACHMENT_KINDS: Readonly<Record<Attachment["kind"], true>> = {
	file: true,
	folder: true,
	symbol: true,
	selection: true,
	problems: true,
	terminal: true,
	changes: true,
	url: true,
	conversation: true,
};

function isAttachment(value: unknown): value is Attachment {
	if (!isRecord(value)) return false;
	const { kind, label, text, path, lines } = value;
	if (typeof kind !== "string" || !Object.hasOwn(ATTACHMENT_KINDS, kind) || typeof label !== "string" || typeof text !== "string")
		return false;
	const numbered = lines === undefined || (Array.isArray(lines) && lines.length === 2 && lines.every((line) => Number.isSafeInteger(line)));
	return numbered && isOptionalText(path);
}

function isOptionalText(value: unknown): boolean {
	return value === undefined || typeof value === "string";
}

interface InboxWatcher {
	/** Reports what waits now, and what arrives until `unwatch`. */
	watch(folder: string): void;
	unwatch(folder: string): void;
	/** Looks again, because file systems may not report changes. */
	check(folder: string): void;
	/** Nothing is watched before there is a listener. */
	onArrival(listener: (folder: string) => void): void;
	close(): void;
}

interface Watched {
	watcher?: FSWatcher;
	/** The inbox, or the session's folder until there is one. */
	path?: string;
	/** Files that have been reported. */
	reported: ReadonlySet<string>;
	looking: boolean;
	again: boolean;
}

export function createInboxWatcher(files: StorageFileSystem, log: (line: string) => void): InboxWatcher {
	const listeners = createListeners<(folder: string) => void>((error) => log(`an inbox listener failed: ${String(error)}`));
	const watched = new Map<string, Watched>();

	function start(folder: string, state: Watched): void {
		if (state.watcher || listeners.isEmpty()) return;
		const inbox = join(folder, INBOX_FOLDER);
		if (tryWatch(inbox, state, () => look(folder))) return;
		tryWatch(folder, state, (name) => {
			if (name !== null && name !== INBOX_FOLDER) return;
			stop(state);
			look(folder);
		});
	}

	/** Returns false if the folder does not exist or cannot be watched: `check` has to do. */
	function tryWatch(path: string, state: Watched, changed: (name: string | null) => void): boolean {
		try {
			const watcher = watch(path, { persistent: false }, (_, name) => changed(name));
			state.watcher = watcher.on("error", () => stop(state));
			state.path = path;
			return true;
		} catch {
			return false;
		}
	}

	function stop(state: Watched): void {
		state.watcher?.close();
		delete state.watcher;
		delete state.path;
	}

	function look(folder: string): void {
		const state = watched.get(folder);
		if (!state || listeners.isEmpty()) return;
		state.again = true;
		if (!state.looking) void lookUntilQuiet(folder, state);
	}

	async function lookUntilQuiet(folder: string, state: Watched): Promise<void> {
		state.looking = true;
		while (state.again && watched.get(folder) === state) {
			state.again = false;
			start(folder, state);
			const waiting = await listWaiting(files, join(folder, INBOX_FOLDER)).catch(() => undefined);
			if (!waiting || watched.get(folder) !== state) continue;
			if (waiting.length > 0 && state.path === folder) {
				stop(state);
				state.again = true;
			}
			const arrived = waiting.some((file) => !state.reported.has(file));
			state.reported = new Set(waiting);
			if (arrived) listeners.tell((listener) => listener(folder));
		}
		state.looking = false;
	}

	return {
		watch(folder) {
			if (!watched.has(folder)) watched.set(folder, { reported: new Set(), looking: false, again: false });
			look(folder);
		},
		unwatch(folder) {
			const state = watched.get(folder);
			if (state) stop(state);
			watched.delete(folder);
		},
		check: look,
		onArrival(listener) {
			listeners.add(listener);
			for (const folder of watched.keys()) look(folder);
		},
		close() {
			for (const state of watched.values()) stop(state);
			watched.clear();
		},
	};
}
