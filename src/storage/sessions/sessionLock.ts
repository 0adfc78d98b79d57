// Locks a session for one live host with a file: process id, start time and heartbeat.

// Not a JsonStore: whether the file counts depends on its holder being alive, and a damaged one is a dead holder's.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isRecord } from "../../core/isRecord.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { isNotFound, isProcessAlive, parseJson, readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { withFileLock } from "../json/fileLock.ts";

/** A heartbeat every two seconds; one older than five means death where the process cannot be asked. Milliseconds. */
const HEARTBEAT = 2_000;
const SILENCE = 5_000;

export const OWNER_FILE = "owner.json";
/** Beside it while another host asks for the folder. */
const WANTED = "wanted";
/** How long whoever has it gets to give it up: its next heartbeat and a little. Milliseconds. */
const PATIENCE = HEARTBEAT + 1_000;
const LOOK = 100;

interface Owner {
	pid: number;
	/** When the process started, in the kernel's count; "" where that cannot be known. */
	start: string;
	/** The machine, its boot and its process namespace: elsewhere the pid says nothing. */
	host: string;
	/** One per store. */
	nonce: string;
}

type Holder = "nobody" | "us" | "another" | "the dead";

export interface SessionLock {
	/** Takes the folder; false when another live host has it. */
	acquire(folder: string): Promise<boolean>;
	/** The same, but a live host that has it is asked first, and gives it up within a moment if it is at rest. */
	requestHandover(folder: string): Promise<boolean>;
	release(folder: string): Promise<void>;
	/** Whether we have it, as far as we know. */
	isHeld(folder: string): boolean;
	/** Whether another live host has it. */
	isHeldElsewhere(folder: string): Promise<boolean>;
	close(): Promise<void>;
}

/**
 * `onLost` hears of a folder that another host took, after ours was silent for long (a sleeping machine, a shared disk);
 * `onWanted` of one that another host asks for: who can do without it releases it.
 */
export function createSessionLock(
	files: StorageFileSystem,
	onLost: (folder: string) => void,
	onWanted: (folder: string) => void = () => {},
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
		return (await lives(files, path, owner, await us())) ? "another" : "the dead";
	}

	async function beat(): Promise<void> {
		for (const folder of [...owned]) {
			const now = new Date();
			const still = await holder(folder).catch(() => "us");
			if (!owned.has(folder)) continue;
			if (still === "us") await files.utimes(join(folder, OWNER_FILE), now, now).catch(() => undefined);
			else lose(folder);
			if (still === "us" && (await files.stat(join(folder, WANTED)).catch(() => undefined))) onWanted(folder);
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

	const ownership: SessionLock = {
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
			timer ??= setInterval(() => void beat(), HEARTBEAT).unref();
			return true;
		},
		async requestHandover(folder) {
			if (await ownership.acquire(folder)) return true;
			const until = Date.now() + PATIENCE;
			await writeAtomically(files, join(folder, WANTED), "");
			try {
				while (Date.now() < until) {
					await pause(LOOK);
					if (await ownership.acquire(folder)) return true;
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
			for (const folder of [...owned]) await ownership.release(folder).catch(() => undefined);
		},
	};
	return ownership;
}

async function lives(files: StorageFileSystem, path: string, owner: Owner, us: Owner): Promise<boolean> {
	const here = owner.host === us.host;
	if (here && !isProcessAlive(owner.pid)) return false;
	const start = here ? await startOf(files, owner.pid) : "";
	if (start && owner.start && start !== owner.start) return false;
	const otherProcess = owner.pid !== process.pid;
	if (start && owner.start && otherProcess) return true;
	try {
		return Math.abs(Date.now() - (await files.stat(path)).mtimeMs) < SILENCE;
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

/** The kernel's start time of a process: field 22 of /proc/<pid>/stat, counted after the name, which may hold anything. */
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
