// Helpers for storage tests: temporary folders, events, a disk that fails on demand, and child processes.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { build } from "esbuild";
import type { SessionSummary, TranscriptEvent } from "../../../src/core/events.ts";
import type { TaskRecord, TaskState } from "../../../src/core/task.ts";
import { nodeFileSystem, type StorageFileSystem } from "../../../src/storage/fileSystem.ts";
import type { StateEntry } from "../../../src/storage/sessions/sessionIndex.ts";
import { nameFolder } from "../../../src/storage/sessions/sessionPaths.ts";
import { createSessionStore, type DiskSessionStore, type SessionStoreOptions } from "../../../src/storage/sessions/sessionStore.ts";

const folders: string[] = [];
const stores: DiskSessionStore[] = [];

/** Call in a describe: closes stores and removes folders after each test. */
export function cleanUp(): void {
	afterEach(async () => {
		await Promise.all(stores.splice(0).map((store) => store.close().catch(() => undefined)));
		await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
	});
}

export async function newFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), "troupe-storage-"));
	folders.push(folder);
	return folder;
}

export function smallState(value?: unknown): StateEntry & { value: unknown } {
	const state = {
		value,
		get: () => state.value,
		async set(next: unknown) {
			state.value = JSON.parse(JSON.stringify(next)) as unknown;
		},
	};
	return state;
}

export function openStore(root: string, options: Partial<SessionStoreOptions> = {}): DiskSessionStore {
	const store = createSessionStore({ root, index: smallState(), ...options });
	stores.push(store);
	return store;
}

export const CREATED = "2025-01-01T00:00:00.000Z";

export function summary(sessionId: string, rest: Partial<SessionSummary> = {}): SessionSummary {
	return { sessionId, agentId: "default", createdAt: CREATED, updatedAt: CREATED, messageCount: 0, role: "planner", ...rest };
}

export function taskRecord(state: TaskState = "running", session = "talk", rest: Partial<TaskRecord> = {}): TaskRecord {
	const ceiling: TaskRecord["ceiling"] = ["ReadFiles", "WriteFiles"];
	return {
		state,
		caller: { session, turn: "t1", call: "c1", agent: "main", role: "actor", ceiling, depth: 1, chain: ["main"] },
		type: "general",
		ceiling,
		budget: { steps: 60, tokens: 400_000, minutes: 60 },
		spent: { steps: 2, tokens: 1_200.5, minutes: 0.25 },
		isolation: "auto",
		...rest,
	};
}

/** A running task of the session "talk". */
export function taskSummary(sessionId: string, task = taskRecord(), rest: Partial<SessionSummary> = {}): SessionSummary {
	return summary(sessionId, { kind: "task", agentId: "task-general", role: "actor", task, ...rest });
}

export function userEvent(seq: number, text = `message ${seq}`, id = `e${seq}`): TranscriptEvent {
	return { id, seq, at: new Date(Date.UTC(2025, 0, 2) + seq * 1_000).toISOString(), by: "person", type: "user", text };
}

/** Where a session lies that this version has made. */
export function folderOf(root: string, sessionId: string): string {
	return join(root, "sessions", nameFolder(sessionId));
}

export function transcriptOf(root: string, sessionId: string): string {
	return join(folderOf(root, sessionId), "current.jsonl");
}

export async function linesOf(path: string): Promise<string[]> {
	return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
}

export type Call = "open" | "write" | "datasync" | "truncate" | "writeFile" | "sync" | "rename" | "mkdir";

/** Real files on which chosen calls fail with a code for as long as `code` is set. `write` puts half the bytes on disk first. */
export function failingFiles(
	call: Call,
	concerns: (path: string) => boolean = () => true,
): { files: StorageFileSystem; code: string | undefined } {
	const failing: { files: StorageFileSystem; code: string | undefined } = { files: nodeFileSystem, code: undefined };
	const fail = (): never => {
		throw Object.assign(new Error(`injected ${failing.code}`), { code: failing.code });
	};
	const due = (what: Call, path: unknown) => what === call && failing.code !== undefined && concerns(String(path));

	const open: StorageFileSystem["open"] = async (path, ...rest) => {
		if (due("open", path)) fail();
		const handle = await nodeFileSystem.open(path, ...rest);
		const real = { write: handle.write.bind(handle) as (bytes: Buffer, at: number, length: number) => Promise<unknown> };
		const wrap = <K extends "datasync" | "truncate" | "writeFile" | "sync">(name: K) => {
			const original = handle[name].bind(handle) as (...values: unknown[]) => Promise<void>;
			Object.assign(handle, { [name]: async (...values: unknown[]) => (due(name, path) ? fail() : original(...values)) });
		};
		for (const name of ["datasync", "truncate", "writeFile", "sync"] as const) wrap(name);
		Object.assign(handle, {
			async write(bytes: Buffer, at: number, length: number) {
				if (!due("write", path)) return real.write(bytes, at, length);
				await real.write(bytes, at, Math.floor(length / 2));
				return fail();
			},
		});
		return handle;
	};
	failing.files = {
		...nodeFileSystem,
		open,
		rename: async (from, to) => (due("rename", to) ? fail() : nodeFileSystem.rename(from, to)),
		mkdir: (async (path: string, options?: object) =>
			due("mkdir", path) ? fail() : nodeFileSystem.mkdir(path, options)) as StorageFileSystem["mkdir"],
	};
	return failing;
}

export type Child = ChildProcessByStdio<Writable, Readable, Readable> & { lines: AsyncIterableIterator<string>; ended: Promise<void> };

/** Bundles the process that writes to a store; the path is good for `startWriter` until the folder goes. */
export async function buildWriter(folder: string): Promise<string> {
	const outfile = join(folder, "writer.mjs");
	// l10n for Node asks for CommonJS.
	const alias = { "@vscode/l10n": "@vscode/l10n/dist/browser.js" };
	await build({ entryPoints: ["test/unit/storage/writer.ts"], outfile, bundle: true, alias, platform: "node", format: "esm" });
	return outfile;
}

/** Starts it with its orders as JSON; `wrapper` is a command line that ends in `exec "$@"` where limits are wanted. */
export function startWriter(script: string, orders: object, wrapper?: string): Child {
	const command = [process.execPath, script, JSON.stringify(orders)];
	const [program, ...rest] = wrapper ? ["bash", "-c", wrapper, "bash", ...command] : command;
	const child = spawn(program as string, rest, { stdio: ["pipe", "pipe", "pipe"] });
	const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
	return Object.assign(child, { lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), ended });
}

/** Lines of a child until one satisfies, or until it ends. */
export async function linesUntil(child: Child, last: (line: string, count: number) => boolean): Promise<string[]> {
	const lines: string[] = [];
	for (let next = await child.lines.next(); !next.done; next = await child.lines.next()) {
		lines.push(next.value);
		if (last(next.value, lines.length)) break;
	}
	return lines;
}

/** A fixed stream of numbers in [0, 1): the same run every time. */
export function dice(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

export function summaryOf({ events, damaged }: Awaited<ReturnType<DiskSessionStore["read"]>>): { seqs: number[]; damaged: number } {
	return { seqs: events.map((event: TranscriptEvent) => event.seq), damaged };
}

export function range(count: number): number[] {
	return Array.from({ length: count }, (_, place) => place + 1);
}
