// Fake model server: real HTTP, the wire formats of `formats.ts`, scripted answers and faults.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { formats } from "./formats.ts";
import type { AskedRequest, Fault, Frame, Point, Script, ScriptedAnswer, WireFormat } from "./script.ts";

export interface ModelServerOptions {
	script: Script;
	/** Names that GET /models lists; a server without the list when absent. */
	models?: readonly string[];
	/** Requests with another key get 401. */
	key?: string;
	port?: number;
}

export interface ModelServer {
	/** To be given as base URL: ends in /v1. */
	url: string;
	/** Every request for an answer, in the order they came. */
	requests: AskedRequest[];
	/** How many were opened. */
	connections(): number;
	close(): Promise<void>;
}

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
	const requests: AskedRequest[] = [];
	const server = createServer((request, response) => {
		handle(request, response, options, requests).catch((error: unknown) => {
			if (response.headersSent) response.destroy();
			else json(response, 500, { error: { message: `The script failed: ${String(error)}` } });
		});
	});
	let connections = 0;
	server.on("connection", () => {
		connections += 1;
	});
	server.listen(options.port ?? 0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		requests,
		connections: () => connections,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}

async function handle(
	request: IncomingMessage,
	response: ServerResponse,
	options: ModelServerOptions,
	requests: AskedRequest[],
): Promise<void> {
	const path = (request.url ?? "").split("?")[0] ?? "";
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const given = request.headers["x-api-key"] ?? request.headers.authorization?.replace(/^Bearer /, "");
	if (options.key !== undefined && given !== options.key) {
		json(response, 401, { error: { message: `Incorrect API key provided: ${given}`, code: "invalid_api_key" } });
		return;
	}
	if (path.endsWith("/models") && options.models) {
		json(response, 200, { object: "list", data: options.models.map((id) => ({ id, object: "model" })) });
		return;
	}
	if (path.endsWith("/count_tokens")) {
		json(response, 200, { input_tokens: Math.ceil(Buffer.concat(chunks).length / 4) });
		return;
	}
	const format = Object.entries(formats).find(([end]) => path.endsWith(end))?.[1];
	if (!format || request.method !== "POST") {
		json(response, 404, { error: { message: `Nothing at ${request.method} ${path}` } });
		return;
	}
	const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
	const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
	const asked: AskedRequest = { format: format.name, path, headers, body, number: requests.length, ...format.read(body) };
	requests.push(asked);
	const error = format.refuse?.(body);
	if (error) {
		json(response, 400, { error });
		return;
	}
	const { script } = options;
	const answer = typeof script === "function" ? await script(asked) : script[asked.number];
	if (!answer) {
		json(response, 500, { error: { message: `The script has no answer ${asked.number}` } });
		return;
	}
	await send(response, answer, format, asked);
}

async function send(response: ServerResponse, answer: ScriptedAnswer, format: WireFormat, asked: AskedRequest): Promise<void> {
	const fault = answer.fault;
	if (fault && "status" in fault) {
		json(response, fault.status, fault.body ?? {}, fault.headers);
		return;
	}
	if (fault && "body" in fault) {
		response.writeHead(200, { "content-type": fault.contentType ?? format.contentType });
		response.end(fault.body);
		return;
	}
	const frames = format.frames(answer, asked);
	const { at, breaks } = stopOf(fault);
	const sent = at === undefined ? frames : frames.slice(0, indexOf(frames, at));
	const tail = tailOf(fault, format);
	if (at !== "start" || !breaks) {
		response.writeHead(200, { "content-type": format.contentType, "cache-control": "no-cache" });
		response.flushHeaders();
	}
	let left = fault && "cut" in fault && typeof fault.cut === "number" ? fault.cut : Number.POSITIVE_INFINITY;
	for (const [index, frame] of [...sent, ...tail].entries()) {
		await answer.pace?.(index);
		const bytes = Buffer.from(frame.bytes).subarray(0, left);
		left -= bytes.length;
		await write(response, bytes, answer.chunk ?? bytes.length);
		if (left <= 0 || response.destroyed) break;
	}
	if (breaks === "hang") return;
	await answer.ending;
	if (breaks === "reset") response.socket?.resetAndDestroy();
	else if (breaks === "cut") response.destroy();
	else response.end();
}

function tailOf(fault: Fault | undefined, format: WireFormat): { bytes: string }[] {
	if (fault && "error" in fault) return [{ bytes: format.error(fault.error) }];
	return fault && "tail" in fault ? [{ bytes: fault.tail }] : [];
}

/** Where the frames stop, and what becomes of the connection then; it ends well when nothing breaks. */
function stopOf(fault: Fault | undefined): { at?: Point; breaks?: "hang" | "cut" | "reset" } {
	if (fault && "hang" in fault) return { at: fault.hang, breaks: "hang" };
	if (fault && "cut" in fault) {
		const breaks = fault.reset ? "reset" : "cut";
		return typeof fault.cut === "number" ? { breaks } : { at: fault.cut, breaks };
	}
	return fault && "at" in fault ? { at: fault.at } : {};
}

/** How many frames go out before the point: half of those of text or arguments, all before the stop. */
function indexOf(frames: readonly Frame[], point: Point): number {
	if (point === "start") return 0;
	const first = frames.findIndex((frame) => frame.point === point);
	if (first < 0) throw new Error(`the answer has no ${point}`);
	if (point === "stop") return first;
	const count = frames.filter((frame) => frame.point === point).length;
	return first + Math.ceil(count / 2);
}

/** Each chunk is handed to the socket before the next, so that chunks stay apart as far as the network lets them. */
async function write(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
	for (let at = 0; at < bytes.length; at += Math.max(1, size)) {
		await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + Math.max(1, size)), () => resolve()));
	}
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json", ...headers });
	response.end(text);
}
