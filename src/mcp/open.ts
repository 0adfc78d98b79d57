// Opens the connection to a server: the one place that knows the protocol's library. Loaded when the first server starts.
import { Client, SdkHttpError, SSEClientTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import type { McpAddress, McpProgram } from "../core/ports/mcp.ts";
import { t } from "../shared/l10n.ts";
import { serverFetch } from "./auth/authorizedFetch.ts";
import type { SignIn, SignInParts } from "./auth/signIn.ts";
import { createSignIn } from "./auth/signIn.ts";
import type { Answered } from "./elicitation.ts";
import { findProgram } from "./findExecutable.ts";
import { type Processes, ProgramTransport } from "./stdioTransport.ts";
import { withRandomIds } from "./wire/randomIds.ts";

export interface OpenParts {
	config: McpProgram | McpAddress;
	/** `env` or `headers` with the secrets in them. */
	values: Readonly<Record<string, string>>;
	/** Absolute: where a program runs. */
	cwd: string;
	processes: Processes;
	signIn: SignIn | undefined;
	signal: AbortSignal;
	/** For all of the connection. */
	patience: number;
	output(line: string): void;
	/** A notification of the server. */
	told(method: string, params: Readonly<Record<string, unknown>>): void;
	/** A question for the person; absent where nobody can be asked. */
	answer?(params: unknown, signal: AbortSignal): Promise<Answered>;
	/** It has ended, by whose will ever. */
	ended(error: Error | undefined): void;
}

export interface Opened {
	client: Client;
	/** Resolves when nothing of it runs. */
	close(): Promise<void>;
}

export async function openServer(parts: OpenParts): Promise<Opened> {
	if (!("url" in parts.config)) return openProgram(parts, parts.config);
	const url = new URL(parts.config.url);
	if (!/^https?:$/.test(url.protocol)) throw new Error(t("{0} is no address of http or https.", parts.config.url));
	const closing = new AbortController();
	const fetch = serverFetch(url, parts.values, parts.signIn as SignIn, AbortSignal.any([closing.signal, parts.signal]));
	const stop = (): void => closing.abort(new Error("closed"));
	try {
		const transport = new StreamableHTTPClientTransport(url, { fetch });
		return await connect(parts, transport, async () => {
			// Says goodbye, where the server is still there to hear it.
			await Promise.race([transport.terminateSession().catch(() => undefined), new Promise((done) => setTimeout(done, GOODBYE))]);
			stop();
		});
	} catch (error) {
		if (!isOlder(error)) {
			stop();
			throw error;
		}
		parts.output("It does not speak streamable HTTP. Trying server-sent events.");
		return connect(parts, new SSEClientTransport(url, { fetch }), async () => stop());
	}
}

/** Milliseconds. */
const GOODBYE = 1_000;

export function signInOf(parts: SignInParts): SignIn {
	return createSignIn(parts);
}

/** Servers of before 2025 answer so to what they do not know. */
function isOlder(error: unknown): boolean {
	return error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0);
}

async function openProgram(parts: OpenParts, { command, args = [] }: McpProgram): Promise<Opened> {
	const { processes, values, cwd, output } = parts;
	const environment = await processes.environment(values);
	const found = await findProgram(command, environment["PATH"] ?? "", processes);
	const transport = new ProgramTransport({ file: found.file, args: [...found.args, ...args], environment, cwd, processes, output });
	try {
		return await connect(parts, transport);
	} catch (error) {
		if (transport.end === undefined) throw error;
		// Its own last words are of outside: this goes to the model, too.
		throw new Error(t("The program ended ({0}) before it answered. The log has what it wrote.", transport.end));
	}
}

async function connect(parts: OpenParts, bare: Transport, goodbye?: () => Promise<void>): Promise<Opened> {
	const { signal, output, told, ended } = parts;
	const transport = withRandomIds(bare, (what) => output(`Dropped ${what}.`));
	// What is not announced is refused with an error of the protocol: sampling and roots always.
	const { answer } = parts;
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
		await client.connect(transport, { signal, timeout: parts.patience });
	} catch (error) {
		await bare.close().catch(() => undefined);
		throw error;
	}
	client.onclose = () => ended(last);
	return { client, close };
}

/** What a server says of its results is not held against them: a model reads them, and schemas of others run no code here. */
const UNCHECKED = {
	getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }),
};
