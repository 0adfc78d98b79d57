// Connects shell commands to the tools of the session that runs them, through per-command tokens.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { delimiter, dirname } from "node:path";
import * as z from "zod";
import type { Tool } from "../core/ports/tool.ts";
import type { CliSkill } from "../core/prompt.ts";
import type { AgentDefinition } from "../core/role.ts";
import { getTurnRole, listOfferedTools, listTools } from "../session/agent/sessionAgent.ts";
import type { BridgeConnection, BridgedSession, BridgedTurn, CallingCommand, CliBridge, ShellCallResult } from "../session/services.ts";
import { describeForLog } from "../shared/reasonOf.ts";
import { listenOnSocket, type SocketListener } from "./listener.ts";

/** A plugin's skill after it was written to disk. */
export interface WrittenSkill extends CliSkill {
	text: string;
}

export interface CliBridgeOptions {
	/** Writes a plugin's skill and program for these tools; the same tools give the same paths. */
	write(name: string, plugin: string, tools: readonly Tool[]): Promise<WrittenSkill>;
	log(line: string): void;
}

export interface CliBridgeHost extends CliBridge {
	cliSkills(session: BridgedSession, agent: AgentDefinition, all?: readonly Tool[]): Promise<readonly WrittenSkill[]>;
	/** The skills as last written. */
	known(session: string): readonly WrittenSkill[];
	/** Invalidates every token of that session. */
	forget(session: string): void;
	/** Returns true if the socket accepts connections. */
	listens(): boolean;
	dispose(): Promise<void>;
}

/** Maximum number of concurrent calls and of total calls per command. */
const MAX_CONCURRENT_CALLS = 8;
const MAX_CALLS = 1_000;
/** Maximum number of rejected requests that are logged individually. */
const MAX_LOGGED_REJECTIONS = 20;

const Request = z.object({
	session: z.string().max(200),
	token: z.string().max(200),
	plugin: z.string().max(200),
	tool: z.string().max(200),
	input: z.record(z.string(), z.unknown()),
});

/** A running command that may call tools. Each has its own token, which expires with the command. */
interface TokenHolder extends CallingCommand {
	turn: BridgedTurn;
	session: string;
	token: Buffer;
	running: number;
}

export function createCliBridge({ write, log }: CliBridgeOptions): CliBridgeHost {
	const holders = new Set<TokenHolder>();
	const skills = new Map<string, readonly WrittenSkill[]>();
	let listener: Promise<SocketListener> | undefined;
	let rejectedRequests = 0;
	let disposed = false;

	/** Compares every token in constant time, so that timing reveals nothing. */
	function holderOf(session: string, token: string): TokenHolder | undefined {
		const given = Buffer.alloc(TOKEN_LENGTH);
		given.write(token.slice(0, TOKEN_LENGTH), "latin1");
		let found: TokenHolder | undefined;
		for (const holder of holders) if (timingSafeEqual(holder.token, given) && token.length === TOKEN_LENGTH) found = holder;
		return found?.session === session ? found : undefined;
	}

	async function answer(message: unknown, disconnected: AbortSignal): Promise<ShellCallResult> {
		const request = Request.safeParse(message);
		if (!request.success) return { status: "error", output: "The request is not one of Troupe's programs. Nothing ran." };
		const { session, token, ...wanted } = request.data;
		const holder = holderOf(session, token);
		if (!holder) {
			rejectedRequests += 1;
			if (rejectedRequests <= MAX_LOGGED_REJECTIONS) log("a call from a shell was refused: its token is none of a command that runs now");
			return { status: "denied", output: "Refused: this program works only in the command that Troupe runs it in. Nothing ran." };
		}
		if (holder.running >= MAX_CONCURRENT_CALLS)
			return { status: "error", output: `More than ${MAX_CONCURRENT_CALLS} calls at a time. Nothing ran; wait for the others.` };
		if (holder.made >= MAX_CALLS) return { status: "denied", output: `Refused: a command makes at most ${MAX_CALLS} calls.` };
		holder.running += 1;
		try {
			return await holder.turn.callFromShell(holder, wanted, disconnected);
		} catch (error) {
			log(`a call from a shell failed: ${describeForLog(error)}`);
			return { status: "error", output: "The call failed in Troupe. Its log says more." };
		} finally {
			holder.running -= 1;
		}
	}

	async function address(): Promise<string> {
		listener ??= listenOnSocket(answer).catch((error: unknown) => {
			listener = undefined;
			throw error;
		});
		return (await listener).address;
	}

	/** Closes the socket when no command can call. */
	function closeIfUnused(): void {
		if (holders.size > 0 || !listener) return;
		const last = listener;
		listener = undefined;
		void last.then((open) => open.close()).catch(() => undefined);
	}

	async function cliSkills(
		session: BridgedSession,
		agent: AgentDefinition,
		all: readonly Tool[] = listTools(session, agent),
	): Promise<readonly WrittenSkill[]> {
		const written = shellTools(session, agent, all);
		const writtenSkills: WrittenSkill[] = [];
		const names = new Set<string>();
		for (const [plugin, tools] of written) {
			const name = programName(plugin, names);
			names.add(name);
			try {
				writtenSkills.push(await write(name, plugin, tools));
			} catch (error) {
				log(`the program of the plugin ${plugin} could not be written: ${String(error)}`);
			}
		}
		skills.set(session.sessionId, writtenSkills);
		return writtenSkills;
	}

	return {
		cliSkills,
		known: (session) => skills.get(session) ?? [],
		forget(session) {
			skills.delete(session);
			for (const holder of holders) if (holder.session === session) holders.delete(holder);
			closeIfUnused();
		},
		listens: () => listener !== undefined,
		async open(turn: BridgedTurn, call: string): Promise<BridgeConnection | undefined> {
			const { sessionId, agent } = turn;
			if (disposed || (agent.toolExposure ?? "tools") === "tools") return undefined;
			const reached = skills.get(sessionId) ?? (await cliSkills(turn, agent));
			if (reached.length === 0) return undefined;
			const token = randomBytes(32).toString("hex");
			let waiting = 0;
			let since = 0;
			let waited = 0;
			const holder: TokenHolder = {
				turn,
				call,
				session: sessionId,
				token: Buffer.from(token, "latin1"),
				made: 0,
				running: 0,
				waits(begins) {
					if (begins && waiting++ === 0) since = Date.now();
					else if (!begins && --waiting === 0) waited += Date.now() - since;
				},
			};
			holders.add(holder);
			try {
				const socket = await address();
				const path = [...reached.map(({ cliPath }) => dirname(cliPath)), process.env["PATH"] ?? ""].join(delimiter);
				return {
					env: { TROUPE_SOCKET: socket, TROUPE_SESSION: sessionId, TROUPE_TOKEN: token, PATH: path },
					secrets: [token],
					waited: () => waited + (waiting > 0 ? Date.now() - since : 0),
					close() {
						holders.delete(holder);
						closeIfUnused();
					},
				};
			} catch (error) {
				holders.delete(holder);
				log(`plugins cannot be reached from a shell: ${String(error)}`);
				return undefined;
			}
		},
		async dispose() {
			disposed = true;
			holders.clear();
			const last = listener;
			listener = undefined;
			await last?.then((open) => open.close()).catch(() => undefined);
		},
	};
}

/** 256 bits in hex. */
const TOKEN_LENGTH = 64;

/** Offered tools by plugin; empty if commands cannot run. */
function shellTools(session: BridgedSession, agent: AgentDefinition, all: readonly Tool[]): Map<string, Tool[]> {
	const byPlugin = new Map<string, Tool[]>();
	const role = getTurnRole(session);
	const commands = all.filter((tool) => tool.command);
	if (listOfferedTools(session, { role, agent, all: commands }).length === 0) return byPlugin;
	for (const tool of listOfferedTools(session, { role, agent, all, reach: "shell" }))
		byPlugin.set(tool.plugin, [...(byPlugin.get(tool.plugin) ?? []), tool]);
	return new Map([...byPlugin].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** `notes-cli`; a number is added if another plugin has the same program name. */
function programName(plugin: string, taken: ReadonlySet<string>): string {
	const plain = plugin
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-+|-+$/g, "")
		.slice(0, 48);
	for (let number = 1; ; number += 1) {
		const name = `${plain || "plugin"}${number > 1 ? `-${number}` : ""}-cli`;
		if (!taken.has(name)) return name;
	}
}
