// A private socket: one request and one answer per connection, each a line of JSON.

// Only the current user can open its folder.
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SocketListener {
	/** The address that clients connect to. */
	address: string;
	close(): Promise<void>;
}

/** Maximum bytes of a request and of an answer. */
export const MESSAGE_LIMIT = 1024 * 1024;
const MAX_CONNECTIONS = 64;
/** Milliseconds within which a request must be complete. */
const TIME_LIMIT = 10_000;
/** Maximum bytes of a socket path on all platforms. */
const PATH_LIMIT = 100;

/** `answer` receives the request, or undefined if it is not JSON; its signal aborts when the client disconnects. Must not reject. */
export async function listenOnSocket(
	answer: (request: unknown, disconnected: AbortSignal) => Promise<unknown>,
	timeLimit = TIME_LIMIT,
): Promise<SocketListener> {
	const windows = process.platform === "win32";
	const folder = windows ? undefined : await privateFolder();
	const address = folder === undefined ? `\\\\.\\pipe\\troupe-${randomBytes(16).toString("hex")}` : join(folder, "s");
	const open = new Set<Socket>();
	const server = createServer((socket) => {
		open.add(socket);
		socket.once("close", () => open.delete(socket));
		serve(socket, answer, timeLimit);
	});
	server.maxConnections = MAX_CONNECTIONS;
	try {
		await new Promise<void>((resolve, reject) => {
			server.once("error", reject);
			server.listen(address, resolve);
		});
		if (!windows) await chmod(address, 0o600);
	} catch (error) {
		server.close();
		if (folder !== undefined) await rm(folder, { recursive: true, force: true });
		throw error;
	}
	server.on("error", () => undefined);
	server.unref();
	return {
		address,
		async close() {
			const closed = new Promise<void>((resolve) => {
				server.close(() => resolve());
			});
			for (const socket of open) socket.destroy();
			await closed;
			if (folder !== undefined) await rm(folder, { recursive: true, force: true });
		},
	};
}

async function privateFolder(): Promise<string> {
	const base = tmpdir();
	const short = Buffer.byteLength(join(base, "troupe-XXXXXX", "s")) <= PATH_LIMIT ? base : "/tmp";
	// mkdtemp gives only us access.
	return mkdtemp(join(short, "troupe-"));
}

function serve(socket: Socket, answer: (request: unknown, disconnected: AbortSignal) => Promise<unknown>, timeLimit: number): void {
	const disconnected = new AbortController();
	const chunks: Buffer[] = [];
	let bytes = 0;
	const reply = (value: unknown): void => {
		if (!socket.destroyed) socket.end(`${JSON.stringify(value)}\n`);
	};
	const refuse = (output: string): void => {
		socket.removeListener("data", onData);
		socket.resume();
		reply({ status: "error", output });
		socket.destroySoon();
	};
	const timeout = setTimeout(() => refuse("The request did not come in time. Nothing ran."), timeLimit).unref();
	socket.on("error", () => undefined);
	socket.once("close", () => {
		clearTimeout(timeout);
		disconnected.abort(new Error("The program that called has ended"));
	});
	function onData(chunk: Buffer): void {
		const end = chunk.indexOf(0x0a);
		const part = end < 0 ? chunk : chunk.subarray(0, end);
		bytes += part.length;
		if (bytes > MESSAGE_LIMIT) {
			refuse("The request is larger than 1 MB. Nothing ran.");
			return;
		}
		chunks.push(part);
		if (end < 0) return;
		clearTimeout(timeout);
		socket.removeListener("data", onData);
		// Data after the request is discarded, but a disconnect is still detected.
		socket.resume();
		void answer(parsed(Buffer.concat(chunks)), disconnected.signal).then(reply);
	}
	socket.on("data", onData);
}

function parsed(bytes: Buffer): unknown {
	try {
		return JSON.parse(bytes.toString("utf8"));
	} catch {
		return undefined;
	}
}
