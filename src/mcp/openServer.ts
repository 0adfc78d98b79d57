// Opens a connection with the MCP SDK, which is loaded with the first server.

import { randomInt } from "node:crypto";
import {
	Client,
	type JSONRPCMessage,
	SdkHttpError,
	SSEClientTransport,
	StreamableHTTPClientTransport,
	type Transport,
} from "@modelcontextprotocol/client";
import type { McpHttpConfig, McpStdioConfig } from "../core/ports/mcp.ts";
import type { ProgramHost } from "../core/ports/programs.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import { withTimeout } from "../shared/node/withTimeout.ts";
import { createAuthorizedFetch } from "./auth/authorizedFetch.ts";
import { createSignIn, type SignIn, type SignInOptions } from "./auth/signIn.ts";
import type { ElicitationResult } from "./elicitation.ts";
import { findExecutable, StdioTransport } from "./stdioTransport.ts";

export interface OpenServerOptions {
	config: McpStdioConfig | McpHttpConfig;
	/** `env` or `headers`, with secrets resolved. */
	values: Readonly<Record<string, string>>;
	/** Absolute working directory. */
	cwd: string;
	programs: ProgramHost;
	signIn: SignIn | undefined;
	signal: AbortSignal;
	/** Maximum milliseconds for the whole connection. */
	timeout: number;
	onOutput(line: string): void;
	/** Called for each notification from the server. */
	onNotification(method: string, params: Readonly<Record<string, unknown>>): void;
	/** Forwards a question to the user; absent if nobody can be asked. */
	onElicitation?(params: unknown, signal: AbortSignal): Promise<ElicitationResult>;
	/** Called when the connection has ended, for any reason. */
	onClose(error: Error | undefined): void;
}

export interface OpenedServer {
	client: Client;
	/** Resolves when the server's processes have ended. */
	close(): Promise<void>;
}

export async function openServer(parts: OpenServerOptions): Promise<OpenedServer> {
	if (!("url" in parts.config)) return openProgram(parts, parts.config);
	const url = new URL(parts.config.url);
	if (!/^https?:$/.test(url.protocol)) throw new UserError(t("{0} isn't an HTTP or HTTPS address.", parts.config.url));
	const closing = new AbortController();
	const fetch = createAuthorizedFetch(url, parts.values, parts.signIn as SignIn, AbortSignal.any([closing.signal, parts.signal]));
	const stop = (): void => closing.abort(new Error("closed"));
	try {
		const transport = new StreamableHTTPClientTransport(url, { fetch });
		return await connect(parts, transport, async () => {
			// Ends the session on the server, if it still responds.
			const goodbye = transport.terminateSession().catch(() => undefined);
			await withTimeout(goodbye, GOODBYE, () => undefined);
			stop();
		});
	} catch (error) {
		if (!isOlder(error)) {
			stop();
			throw error;
		}
		parts.onOutput("It does not speak streamable HTTP. Trying server-sent events.");
		return connect(parts, new SSEClientTransport(url, { fetch }), async () => stop());
	}
}

/** Milliseconds. */
const GOODBYE = 1_000;

export function createServerSignIn(parts: SignInOptions): SignIn {
	return createSignIn(parts);
}

/** Servers from before 2025 respond this way to unknown requests. */
function isOlder(error: unknown): boolean {
	return error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0);
}

async function openProgram(parts: OpenServerOptions, { command, args = [] }: McpStdioConfig): Promise<OpenedServer> {
	const { programs, values, cwd, onOutput: output } = parts;
	const environment = await programs.environment(values);
	const found = await findExecutable(command, environment["PATH"] ?? "", programs);
	const transport = new StdioTransport({ file: found.file, args: [...found.args, ...args], environment, cwd, programs, onOutput: output });
	try {
		return await connect(parts, transport);
	} catch (error) {
		if (transport.exitStatus === undefined) throw error;
		// The program's own output is untrusted, and this message reaches the model.
		throw new UserError(t("The program exited ({0}) before it responded. See the log for its output.", transport.exitStatus));
	}
}

async function connect(parts: OpenServerOptions, bare: Transport, goodbye?: () => Promise<void>): Promise<OpenedServer> {
	const { signal, onOutput: output, onNotification: told, onClose: ended } = parts;
	const transport = withRandomIds(bare, (what) => output(`Dropped ${what}.`));
	// Capabilities that are not announced are rejected with a protocol error: sampling and roots always.
	const { onElicitation: answer } = parts;
	const client = new Client(
		{ name: "troupe", title: "Troupe", version: "1" },
		{ capabilities: answer ? { elicitation: { form: {} } } : {}, jsonSchemaValidator: UNCHECKED },
	);
	if (answer) client.setRequestHandler("elicitation/create", ({ params }, context) => answer(params, context.mcpReq.signal) as never);
	let last: Error | undefined;
	client.onerror = (error) => {
		last = error;
		output(error.message);
	};
	client.fallbackNotificationHandler = async ({ method, params }) => told(method, params ?? {});
	const close = async (): Promise<void> => {
		client.onclose = () => undefined;
		await goodbye?.();
		await client.close().catch(() => undefined);
		await bare.close().catch(() => undefined);
	};
	try {
		await client.connect(transport, { signal, timeout: parts.timeout });
	} catch (error) {
		await bare.close().catch(() => undefined);
		throw error;
	}
	client.onclose = () => ended(last);
	return { client, close };
}

/** Results are not validated against the server's output schema: a model reads them, and foreign schemas must not run code here. */
const UNCHECKED = {
	getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }),
};

type Id = string | number;

export function withRandomIds<T extends Transport>(transport: T, dropped: (what: string) => void): T {
	const send = transport.send.bind(transport);
	/** Original IDs by random ID. */
	const own = new Map<Id, Id>();
	const random = new Map<Id, Id>();
	let receive: Transport["onmessage"];

	transport.send = (message, options) => send(outgoing(message), options);
	Object.defineProperty(transport, "onmessage", {
		get: () =>
			receive &&
			((message: JSONRPCMessage, extra?: never) => {
				const known = incoming(message);
				if (known) receive?.(known, extra);
			}),
		set: (handler: Transport["onmessage"]) => {
			receive = handler;
		},
	});
	return transport;

	function outgoing(message: JSONRPCMessage): JSONRPCMessage {
		if (!("method" in message)) return message;
		if (!("id" in message)) {
			const cancelled = message.method === "notifications/cancelled" ? (message.params?.["requestId"] as Id | undefined) : undefined;
			const id = cancelled === undefined ? undefined : random.get(cancelled);
			if (id === undefined) return message;
			forget(id);
			return { ...message, params: { ...message.params, requestId: id } };
		}
		let id = randomInt(1, 2 ** 31);
		while (own.has(id)) id = randomInt(1, 2 ** 31);
		own.set(id, message.id as Id);
		random.set(message.id as Id, id);
		const meta = message.params?._meta as Record<string, unknown> | undefined;
		if (meta?.["progressToken"] === undefined) return { ...message, id };
		return { ...message, id, params: { ...message.params, _meta: { ...meta, progressToken: id } } };
	}

	function incoming(message: JSONRPCMessage): JSONRPCMessage | undefined {
		if ("method" in message) {
			if (message.method !== "notifications/progress") return message;
			const mine = own.get(message.params?.["progressToken"] as Id);
			return mine === undefined ? undefined : { ...message, params: { ...message.params, progressToken: mine } };
		}
		const id = message.id as Id | undefined;
		const mine = id === undefined ? undefined : own.get(id);
		if (id === undefined || mine === undefined) {
			dropped(`an answer to ${JSON.stringify(id ?? null)}, which was not asked or has been answered`);
			return undefined;
		}
		forget(id);
		return { ...message, id: mine };
	}

	function forget(id: Id): void {
		random.delete(own.get(id) as Id);
		own.delete(id);
	}
}
