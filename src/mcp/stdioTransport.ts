// MCP stdio transport for a server process, with limits on lines, bytes and messages.

// Closing it terminates the server's whole process tree.
import { dirname, extname, isAbsolute, join } from "node:path";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { McpServerConfig, McpStdioConfig } from "../core/ports/mcp.ts";
import type { ProgramHost, RunningProgram } from "../core/ports/programs.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";

interface StdioTransportOptions {
	file: string;
	args: readonly string[];
	/** The complete environment. */
	environment: Readonly<Record<string, string>>;
	cwd: string;
	programs: Pick<ProgramHost, "start">;
	/** Called for output that is not a message. */
	onOutput(line: string): void;
}

/** Maximum bytes of a message. */
const MESSAGE = 8 * 1024 * 1024;
/** Maximum bytes of non-message output before the server is stopped. */
const STRAY = 16 * 1024 * 1024;
/** Number of such lines passed on; after that, only every nth. */
const SHOWN = 200;
/** Messages per second before reading is paused. */
const PACE = 2_000;
/** Milliseconds to wait for remaining output. */
const LAST_WORDS = 200;
/** Maximum bytes that the server has not read. */
const UNREAD = 16 * 1024 * 1024;

export class StdioTransport implements Transport {
	onclose?: () => void;
	onerror?: (error: Error) => void;
	onmessage?: (message: JSONRPCMessage) => void;
	private readonly parts: StdioTransportOptions;
	private program: RunningProgram | undefined;
	private ended: Promise<void> | undefined;
	/** Chunks of an incomplete line. */
	private pieces: Buffer[] = [];
	private size = 0;
	private stray = 0;
	private strays = 0;
	private taken = 0;
	private second = 0;
	private resting: NodeJS.Timeout | undefined;
	private closed = false;
	/** Exit code or signal, if it ended by itself. */
	exitStatus: string | undefined;

	constructor(parts: StdioTransportOptions) {
		this.parts = parts;
	}

	start(): Promise<void> {
		const { file, args, environment, cwd, programs, onOutput: output } = this.parts;
		return new Promise((resolve, reject) => {
			const lines = boundedLines(output);
			this.program = programs.start(
				{ file, args, cwd, env: environment },
				{
					started: resolve,
					failed: (error) => {
						reject(error);
						this.finish(error);
					},
					output: (bytes) => this.take(bytes as Buffer),
					errors: (bytes) => lines(bytes as Buffer),
					broken: (error) => this.onerror?.(error),
					exited: ({ code, signal }) => {
						if (!this.closed) this.exitStatus = String(signal ?? code);
						output(`ended with ${signal ?? code}`);
						// Its child processes may keep the output open.
						setTimeout(() => this.finish(), LAST_WORDS);
					},
					closed: () => this.finish(),
				},
			);
		});
	}

	async send(message: JSONRPCMessage): Promise<void> {
		const { program } = this;
		if (this.closed || !program?.writable) throw new UserError(t("The server has exited."));
		if (program.unread > UNREAD) throw new UserError(t("The server isn't reading its messages."));
		program.write(`${JSON.stringify(message)}\n`);
	}

	/** Resolves when no process is left. */
	async close(): Promise<void> {
		this.finish();
		await this.ended;
	}

	private finish(error?: Error): void {
		if (this.closed) return;
		this.closed = true;
		clearTimeout(this.resting);
		this.pieces = [];
		// Also if it has ended by itself, since child processes may remain.
		this.ended = this.program?.end() ?? Promise.resolve();
		this.ended.catch((problem: unknown) => this.parts.onOutput(String(problem)));
		if (error) this.onerror?.(error);
		this.onclose?.();
	}

	private take(chunk: Buffer): void {
		let from = 0;
		for (let at = chunk.indexOf(10); at >= 0 && !this.closed; at = chunk.indexOf(10, from)) {
			this.pieces.push(chunk.subarray(from, at));
			const line = this.pieces.length === 1 ? (this.pieces[0] as Buffer) : Buffer.concat(this.pieces);
			[this.pieces, this.size, from] = [[], 0, at + 1];
			this.line(line);
		}
		if (this.closed) return;
		const rest = chunk.subarray(from);
		this.size += rest.length;
		if (this.size > MESSAGE) this.giveUp(t("The server sent a line of more than {0} MB and was stopped.", MESSAGE / 1024 / 1024));
		else if (rest.length > 0) this.pieces.push(rest);
	}

	private line(line: Buffer): void {
		const message = line.length > MESSAGE ? undefined : messageOf(line);
		if (message) {
			this.pace();
			this.onmessage?.(message);
			return;
		}
		this.stray += line.length + 1;
		this.strays += 1;
		if (this.stray > STRAY) this.giveUp(t("The server sent too much output that isn't a message and was stopped."));
		else if (line.length > 0 && (this.strays <= SHOWN || this.strays % SHOWN === 0)) this.parts.onOutput(line.toString("utf8", 0, 1_000));
	}

	/** Pauses a server that sends without interruption, so that others are served. */
	private pace(): void {
		const second = Math.floor(performance.now() / 1_000);
		if (second !== this.second) [this.second, this.taken] = [second, 0];
		this.taken += 1;
		if (this.taken < PACE || this.resting) return;
		this.program?.pause();
		this.resting = setTimeout(() => {
			this.resting = undefined;
			this.program?.resume();
		}, 1_000);
	}

	private giveUp(why: string): void {
		this.finish(new UserError(why));
	}
}

/** Accepts only JSON-RPC objects. */
function messageOf(line: Buffer): JSONRPCMessage | undefined {
	if (line[0] !== OPENING) return undefined;
	try {
		const value = JSON.parse(line.toString("utf8")) as { jsonrpc?: unknown };
		return value.jsonrpc === "2.0" ? (value as JSONRPCMessage) : undefined;
	} catch {
		return undefined;
	}
}

const OPENING = 0x7b;

/** Splits output into lines of at most 1,000 bytes; drops the excess, and lines that arrive too fast. */
function boundedLines(output: (line: string) => void): (chunk: Buffer) => void {
	let begun = "";
	return (chunk) => {
		const [head, tail] = [chunk.toString("utf8", 0, 4_096), chunk.length > 8_192 ? "" : chunk.toString("utf8", 4_096)];
		const lines = (begun + head + tail).split("\n");
		begun = (lines.pop() ?? "").slice(0, 1_000);
		for (const line of lines.slice(-20)) if (line.trim()) output(line.slice(0, 1_000));
	};
}

interface Found {
	file: string;
	/** Arguments that precede the server's own. */
	args: string[];
}

type Finder = Pick<ProgramHost, "findProgram" | "isExecutable">;

/**
 * Throws a sentence if the program doesn't exist. Programs in a workspace folder, directly or through links, are not found by
 * name, since a repository would decide what runs. An absolute path is allowed, because it is shown before approval.
 */
export async function findExecutable(command: string, path: string, finder: Finder): Promise<Found> {
	if (isAbsolute(command)) {
		if (await finder.isExecutable(command)) return throughNode(command, path, finder);
		throw new UserError(t("The program {0} doesn't exist or can't be run.", command));
	}
	if (/[\\/]/.test(command) || command === "") {
		throw new UserError(t("“{0}” is neither a program name nor an absolute path.", command));
	}
	const file = await finder.findProgram(command, path);
	if (file !== undefined) return throughNode(file, path, finder);
	throw new UserError(t("The program {0} wasn't found. Install the program, or set its absolute path in Settings.", command));
}

/** Windows runs batch files only in a shell: npm's are replaced by their scripts, others are rejected. */
async function throughNode(file: string, path: string, finder: Finder): Promise<Found> {
	const ending = extname(file).toLowerCase();
	if (process.platform !== "win32" || ![".cmd", ".bat"].includes(ending)) return { file, args: [] };
	const script = /[\\/](npx|npm)\.cmd$/i.exec(file)?.[1];
	const target = script && join(dirname(file), "node_modules", "npm", "bin", `${script.toLowerCase()}-cli.js`);
	if (target && (await finder.isExecutable(target))) {
		const { file: node } = await findExecutable("node", path, finder);
		return { file: node, args: [target] };
	}
	throw new UserError(t("{0} is a batch file, which only a shell can run. Specify the program that the batch file calls instead.", file));
}

const WORKSPACE = `\${workspaceFolder}`;

/** `folder`: the workspace's absolute path. Catalog entries are not resolved, since they only receive the folder as an argument. */
export function resolveConfig(config: McpServerConfig, folder: string): McpServerConfig {
	if ("url" in config || config.source === "catalog") return config;
	const { cwd, args = [] } = config;
	const resolved = cwd === undefined || isAbsolute(cwd) ? {} : { cwd: join(folder, cwd) };
	if (!("cwd" in resolved) && !args.some((word) => word.includes(WORKSPACE))) return config;
	return { ...config, ...resolved, workspace: folder };
}

/** Inserts the folder into its arguments. */
export function resolveArguments({ args = [] }: McpStdioConfig, folder: string): string[] {
	return args.map((word) => word.replaceAll(WORKSPACE, () => folder));
}
