// Locks a session for one live host with a file: process id, start time and heartbeat.

// Not a JsonStore: whether the file counts depends on its owner being alive, and a damaged one belongs to a dead owner.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isRecord } from "../../core/isRecord.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { isNotFound, isProcessAlive, parseJson, readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { withFileLock } from "../json/fileLock.ts";

/** Milliseconds between heartbeats, and the age at which one means that a process that can't be checked is dead. */
const HEARTBEAT = 2_000;
const HEARTBEAT_TIMEOUT = 5_000;

export const OWNER_FILE = "owner.json";
/** A file next to it while another host requests the folder. */
const WANTED = "wanted";
/** Milliseconds that the owner gets to release it: until its next heartbeat and a little longer. */
const HANDOVER_TIMEOUT = HEARTBEAT + 1_000;
const CHECK_INTERVAL = 100;

interface Owner {
	pid: number;
	/** Start time of the process, in kernel ticks; "" if unknown. */
	start: string;
	/** Identifies the machine, its boot and its process namespace: the pid is meaningless elsewhere. */
	host: string;
	/** One per store. */
	nonce: string;
}

type Holder = "nobody" | "us" | "another" | "the dead";

export interface SessionLock {
	/** Takes the lock; false if another live host holds it. */
	acquire(folder: string): Promise<boolean>;
	/** Takes the lock, first asking a live owner, which releases it within a moment if it is idle. */
	requestHandover(folder: string): Promise<boolean>;
	release(folder: string): Promise<void>;
	/** Returns true if this host holds it, as far as known. */
	isHeld(folder: string): boolean;
	/** Resolves to true if another live host holds it. */
	isHeldElsewhere(folder: string): Promise<boolean>;
	close(): Promise<void>;
}

/**
 * `onLost` reports a folder that another host took after this one was silent for long (a sleeping machine, a shared disk).
 * `onWanted` reports a folder that another host requests; the owner releases it if possible. `onHeartbeat` reports every folder
 * that is still held, every 2 seconds.
 */
export function createSessionLock(
	files: StorageFileSystem,
	onLost: (folder: string) => void,
	onWanted: (folder: string) => void = () => {},
	onHeartbeat: (folder: string) => void = () => {},
): SessionLock {
	const nonce = randomUUID();
	const owned = new Set<string>();
	let self: Promise<Owner> | undefined;
	let timer: NodeJS.Timeout | undefined;

	function us(): Promise<Owner> {
		self ??= describe(files, nonce);
		return self;
	}

	async function holder(folder: string): Promise<Holder> {
		const path = join(folder, OWNER_FILE);
		const text = await readText(files, path);
		if (text === undefined) return "nobody";
		const owner = parseOwner(parseJson(text));
		if (!owner) return "the dead";
		if (owner.nonce === nonce) return "us";
		return (await isOwnerAlive(files, path, owner, await us())) ? "another" : "the dead";
	}

	async function sendHeartbeats(): Promise<void> {
		for (const folder of [...owned]) {
			const now = new Date();
			const still = await holder(folder).catch(() => "us");
			if (!owned.has(folder)) continue;
			if (still === "us") await files.utimes(join(folder, OWNER_FILE), now, now).catch(() => undefined);
			else lose(folder);
			if (still !== "us") continue;
			onHeartbeat(folder);
			if (await files.stat(join(folder, WANTED)).catch(() => undefined)) onWanted(folder);
		}
	}

	function lose(folder: string): void {
		forget(folder);
		onLost(folder);
	}

	function forget(folder: string): void {
		owned.delete(folder);
		if (owned.size > 0) return;
		clearInterval(timer);
		timer = undefined;
	}

	const lock: SessionLock = {
		isHeld: (folder) => owned.has(folder),
		isHeldElsewhere: async (folder) => (await holder(folder)) === "another",
		async acquire(folder) {
			if ((await holder(folder)) === "another") return false;
			const taken = await withFileLock(files, join(folder, `${OWNER_FILE}.lock`), async () => {
				const now = await holder(folder);
				if (now === "another") return false;
				if (now !== "us") await writeAtomically(files, join(folder, OWNER_FILE), JSON.stringify(await us()));
				return true;
			});
			if (!taken) return false;
			owned.add(folder);
			timer ??= setInterval(() => void sendHeartbeats(), HEARTBEAT).unref();
			return true;
		},
		async requestHandover(folder) {
			if (await lock.acquire(folder)) return true;
			const until = Date.now() + HANDOVER_TIMEOUT;
			await writeAtomically(files, join(folder, WANTED), "");
			try {
				while (Date.now() < until) {
					await pause(CHECK_INTERVAL);
					if (await lock.acquire(folder)) return true;
				}
				return false;
			} finally {
				await files.rm(join(folder, WANTED), { force: true });
			}
		},
		async release(folder) {
			if (!owned.has(folder)) return;
			forget(folder);
			await files.rm(join(folder, WANTED), { force: true });
			if ((await holder(folder)) === "us") await files.rm(join(folder, OWNER_FILE), { force: true });
		},
		async close() {
			for (const folder of [...owned]) await lock.release(folder).catch(() => undefined);
		},
	};
	return lock;
}

async function isOwnerAlive(files: StorageFileSystem, path: string, owner: Owner, us: Owner): Promise<boolean> {
	const sameHost = owner.host === us.host;
	if (sameHost && !isProcessAlive(owner.pid)) return false;
	const start = sameHost ? await startOf(files, owner.pid) : "";
	if (start && owner.start && start !== owner.start) return false;
	const otherProcess = owner.pid !== process.pid;
	if (start && owner.start && otherProcess) return true;
	try {
		return Math.abs(Date.now() - (await files.stat(path)).mtimeMs) < HEARTBEAT_TIMEOUT;
	} catch (cause) {
		if (isNotFound(cause)) return false;
		throw cause;
	}
}

async function describe(files: StorageFileSystem, nonce: string): Promise<Owner> {
	const boot = await readText(files, "/proc/sys/kernel/random/boot_id").catch(() => undefined);
	const namespace = await files.stat("/proc/self/ns/pid").catch(() => undefined);
	const host = sha256(`${hostname()} ${boot ?? ""} ${namespace?.ino ?? ""}`);
	return { pid: process.pid, start: await startOf(files, process.pid), host, nonce };
}

/** The kernel's start time of a process: field 22 of /proc/<pid>/stat, counted after the name, which may contain anything. */
async function startOf(files: StorageFileSystem, pid: number): Promise<string> {
	const stat = await readText(files, `/proc/${pid}/stat`).catch(() => undefined);
	return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function parseOwner(value: unknown): Owner | undefined {
	if (!isRecord(value)) return undefined;
	const { pid, start, host, nonce } = value;
	if (typeof pid !== "number" || typeof start !== "string" || typeof host !== "string" || typeof nonce !== "string") return undefined;
	return { pid, start, host, nonce };
}
