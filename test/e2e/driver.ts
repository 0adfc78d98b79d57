// Reaches the extension in `driver/`, which acts in a window.

// It is for what a test isn't about: VS Code's own lists, keys and icons are pressed where they are tested.
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { given } from "./given.ts";

interface Reply {
	id?: number;
	output?: unknown;
	error?: string;
	/** In the first line of a window. */
	folder?: string;
}

const CLOSED = "the window was closed or reloaded";

/** Milliseconds for a window to start its extensions. */
const START_TIMEOUT = 60_000;

let server: Server | undefined;
const windows = new Map<string, Driver>();

/** Starts to listen where windows look for the tests. */
export async function listen(): Promise<void> {
	if (server) return;
	server = createServer((socket) => {
		let driver: Driver | undefined;
		createInterface({ input: socket }).on("line", (line) => {
			const reply = JSON.parse(line) as Reply;
			if (reply.folder === undefined) return driver?.take(reply);
			driver = driverOf(reply.folder);
			driver.connect(socket);
		});
		socket.on("error", () => undefined);
		socket.unref();
	});
	await new Promise<void>((resolve, reject) => server?.once("error", reject).listen(given("E2E_DRIVER"), resolve));
	server.unref();
}

/** The driver of the window that has this folder open, now or later. */
export function driverOf(folder: string): Driver {
	const known = windows.get(folder);
	if (known) return known;
	const driver = new Driver(folder);
	windows.set(folder, driver);
	return driver;
}

export class Driver {
	private readonly folder: string;
	private socket: Socket | undefined;
	private connected: (() => void)[] = [];
	private readonly waiting = new Map<number, (reply: Reply) => void>();
	private last = 0;

	constructor(folder: string) {
		this.folder = folder;
	}

	/** Called when the window has started its extensions, again after each reload. */
	connect(socket: Socket): void {
		this.endWaiting();
		this.socket = socket;
		socket.once("close", () => {
			if (this.socket !== socket) return;
			this.socket = undefined;
			this.endWaiting();
		});
		for (const resolve of this.connected.splice(0)) resolve();
	}

	/** What was asked of an extension host that is gone gets no answer. */
	private endWaiting(): void {
		for (const settle of this.waiting.values()) settle({ error: CLOSED });
		this.waiting.clear();
	}

	take({ id, ...reply }: Reply): void {
		if (id === undefined) return;
		this.waiting.get(id)?.(reply);
		this.waiting.delete(id);
	}

	/** The window has started its extensions. */
	async ready(): Promise<void> {
		if (!this.socket) await this.started();
	}

	/** Resolves when the window starts its extensions the next time, as after a reload. */
	async started(): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_, reject) => {
			const fail = () => reject(new Error(`The window of ${this.folder} did not start its extensions within ${START_TIMEOUT / 1_000} s.`));
			timer = setTimeout(fail, START_TIMEOUT);
		});
		try {
			await Promise.race([late, new Promise<void>((resolve) => this.connected.push(resolve))]);
		} finally {
			clearTimeout(timer);
		}
	}

	/** Runs a command by its id, such as "troupe.newSession", and resolves when it is done. */
	async command(command: string, ...parameters: unknown[]): Promise<unknown> {
		return this.act("command", { command, parameters });
	}

	/** Runs a command that shows a list or a box, which the test answers: it isn't waited for. */
	async begin(command: string, ...parameters: unknown[]): Promise<void> {
		await this.ready();
		this.act("command", { command, parameters }).catch((error: Error) => {
			if (!error.message.endsWith(CLOSED)) console.error(error.message);
		});
	}

	/** Opens a file in an editor. */
	async open(path: string, line?: number): Promise<void> {
		await this.act("open", { path, line });
	}

	/** The whole text in the active editor, saved or not. */
	async text(): Promise<string> {
		return String((await this.act("text", {})) ?? "");
	}

	async theme(name: string, kind: number): Promise<void> {
		await this.act("theme", { name, kind });
	}

	private async act(act: string, input: unknown): Promise<unknown> {
		await this.ready();
		const { socket } = this;
		if (!socket) throw new Error(`The window of ${this.folder} was closed.`);
		this.last += 1;
		const id = this.last;
		const reply = await new Promise<Reply>((resolve) => {
			this.waiting.set(id, resolve);
			socket.write(`${JSON.stringify({ id, act, input })}\n`);
		});
		if (reply.error !== undefined) throw new Error(`${act} ${JSON.stringify(input)}: ${reply.error}`);
		return reply.output;
	}
}
