// Runs one cell of the fault matrix, the real app against the fake server, and checks the outcome.

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { EventOf } from "../../../src/core/events.ts";
import type { ModelProvider } from "../../../src/core/ports/model.ts";
import { createAnthropicProvider } from "../../../src/models/anthropic/anthropic.ts";
import { createOpenAiCompatibleProvider, createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import type { AskedRequest, Fault, ScriptedAnswer } from "../../fakes/modelServer/script.ts";
import { startModelServer } from "../../fakes/modelServer/server.ts";
import { selfSigned } from "../../fakes/selfSigned.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { FAULTS, type FaultKind, PLACES, type Place, POINTS, type Trouble } from "./faults.ts";

interface ProviderOptions {
	id: string;
	baseUrl: string;
	apiKey(): Promise<string>;
	fetch?: typeof fetch;
	idleTimeout?: number;
}

export const FORMATS: Readonly<Record<string, (options: ProviderOptions) => ModelProvider>> = {
	chat: createOpenAiCompatibleProvider,
	responses: createOpenAiProvider,
	anthropic: createAnthropicProvider,
};

export interface Cell {
	kind: FaultKind;
	place: Place;
	format: string;
}

/** What a cell came to; `wrong` is empty where all is as it should be. */
export interface Verdict {
	wrong: string[];
	attempts: number;
	waits: number[];
	ended: string;
	/** How it ended after “Continue”, where the words so far were on the screen. */
	wentOn?: string;
}

export const CELLS: readonly Cell[] = FAULTS.flatMap((kind) =>
	PLACES.filter((place) => place === "first byte" || kind.later).flatMap((place) =>
		Object.keys(FORMATS).map((format) => ({ kind, place, format })),
	),
);

const WORDS = "I will write the note now, line by line, and then say that it is there.";
const CALL = { name: "create_file", input: { path: "note.txt", content: "one\ntwo\nthree\n" } };
const LAST = "It is there.";
/** Milliseconds: short where the silence is the test, so long elsewhere that a busy machine never reaches it. */
const IDLE_LIMIT = { tested: 1_500, untested: 60_000 };

export async function runCell({ kind, place, format }: Cell): Promise<Verdict> {
	const early = place === "first byte";
	const speaks = place !== "tool JSON, no words";
	const { fault, trouble } = early ? kind.first : (kind.later?.(POINTS[place]) ?? {});
	const words = speaks ? WORDS : "";
	const calls = [CALL];
	const answers = answersTo({ words, calls, ...(fault && { fault }), always: kind.always === true });
	const server = await startModelServer({ script: answers });
	const waits: number[] = [];
	const way = await troubledWay(server.url, trouble);
	const idleTimeout = kind.name === "idle" ? IDLE_LIMIT.tested : IDLE_LIMIT.untested;
	const make = FORMATS[format] as (options: ProviderOptions) => ModelProvider;
	const app = await openTestApp({
		model: make({ id: "fake", baseUrl: server.url, apiKey: async () => "sk-0123456789", fetch: way.fetch, idleTimeout }),
		settings: { approval: "auto", defaultRole: "actor" },
		retryTiming: {
			stallTimeout: 60_000,
			async pause(milliseconds, signal) {
				waits.push(milliseconds);
				signal.throwIfAborted();
			},
		},
	});
	try {
		return await judge({ app, kind, early, shown: !early && speaks, words, waits, attempts: way.attempts, requests: server.requests });
	} finally {
		await app.close();
		await way.close();
		await server.close();
	}
}

/** The answer with the fault in it; when the words have been heard, in whole or in part, what is left of it; then the end. */
function answersTo(parts: { words: string; calls: ScriptedAnswer["calls"] & object; fault?: Fault | (() => Fault); always: boolean }) {
	let asked = 0;
	return ({ messages }: AskedRequest): ScriptedAnswer => {
		const struck = asked > 0 && !parts.always;
		asked += 1;
		const fault = struck ? undefined : typeof parts.fault === "function" ? parts.fault() : parts.fault;
		if (messages.some(({ role }) => role === "tool")) return { text: LAST };
		const heard = messages.findLast(({ role }) => role === "assistant")?.text ?? "";
		const text = parts.words.slice(heard.length);
		return { ...(text && { text }), calls: parts.calls, ...(fault && { fault }) };
	};
}

interface Judged {
	app: TestApp;
	kind: FaultKind;
	early: boolean;
	/** Some of the answer is on the screen when the fault strikes. */
	shown: boolean;
	words: string;
	waits: number[];
	attempts(): number;
	requests: readonly AskedRequest[];
}

async function judge({ app, kind, early, shown, words, waits, attempts, requests }: Judged): Promise<Verdict> {
	const wrong: string[] = [];
	const expect = (what: string, given: unknown, wanted: unknown) => {
		if (JSON.stringify(given) !== JSON.stringify(wanted))
			wrong.push(`${what}: ${JSON.stringify(given)} instead of ${JSON.stringify(wanted)}`);
	};
	const { sessionId } = await app.sessions.create({ role: "actor" });
	const session = await app.sessions.get(sessionId);
	let streamed = "";
	const listening = app.sessions.listen({
		live: (_, event) => {
			if (event.type === "delta") streamed += event.text;
		},
		event: (_, event) => {
			if (event.type !== "assistant") return;
			if (!event.text.startsWith(streamed)) wrong.push(`streamed “${streamed}”, kept “${event.text}”`);
			streamed = "";
		},
	});
	const said = () => session.state.events.filter((event): event is EventOf<"assistant"> => event.type === "assistant");
	const text = () =>
		said()
			.map((event) => event.text)
			.join("");
	const end = () => session.state.events.findLast((event): event is EventOf<"ended"> => event.type === "ended");
	const file = join(app.folder, "note.txt");
	const results = () => [...session.state.calls.values()].map(({ result }) => result?.status);

	await session.send("Write the note.");
	const first = { attempts: attempts(), ended: end()?.outcome ?? "nothing", error: end()?.error ?? "" };
	const told = session.state.events.flatMap((event) => (event.type === "status" ? [event.text] : []));

	const again = !shown && kind.wait !== undefined;
	if (again && !kind.always) {
		expect("ended", first.ended, "done");
		expect("attempts", first.attempts, 3);
		expect("waits", waits.length, 1);
		if (!told.some((line) => kind.says.test(line) && /Retrying in \d+ s \(1 of 5\)/.test(line))) wrong.push(`told ${JSON.stringify(told)}`);
	} else if (kind.shortens && !kind.always) {
		// Refused, then a summary, then the shorter request, then what follows the call.
		expect("ended", first.ended, "done");
		expect("attempts", first.attempts, 4);
		expect("compacted", session.state.events.filter(({ type }) => type === "compacted").length, 1);
	} else {
		expect("ended", first.ended, "failed");
		if (!kind.shortens) expect("attempts", first.attempts, kind.always ? 6 : 1);
		expect("waits", waits, kind.always && !kind.shortens ? [2_000, 4_000, 8_000, 16_000, 30_000] : []);
		if (!kind.says.test(first.error)) wrong.push(`says ${first.error}`);
		expect("results", results(), []);
		expect("file written", existsSync(file), false);
		if (shown && (text() === "" || !words.startsWith(text()))) wrong.push(`kept “${text()}”`);
	}
	const wait = waits[0] ?? 0;
	const wanted = (early ? undefined : kind.laterWait) ?? kind.wait ?? 0;
	if (again && Math.abs(wait - wanted) > wanted / 10) wrong.push(`waited ${wait} ms instead of ${wanted}`);
	if (kind.shortens) expect("different requests", new Set(requests.map(({ body }) => JSON.stringify(body))).size, requests.length);

	if (shown) {
		// What “Continue” does: the next request carries the words so far, and the model goes on behind them.
		const kept = text();
		await session.send("Go on.");
		expect("ended after going on", end()?.outcome, "done");
		const carried = requests[1]?.messages.findLast(({ role }) => role === "assistant")?.text;
		expect("carried on", carried, kept);
	}
	if (shown || (again && !kind.always) || (kind.shortens && !kind.always)) {
		expect("words", text(), words + LAST);
		expect("results", results(), ["ok"]);
		expect("file", existsSync(file) && readFileSync(file, "utf8"), CALL.input.content);
	}
	listening.dispose();
	return { wrong, attempts: first.attempts, waits, ended: first.ended, ...(shown && { wentOn: end()?.outcome ?? "nothing" }) };
}

/** Counts the requests for an answer, and lets the first of them go through the trouble. */
async function troubledWay(url: string, trouble: Trouble | undefined) {
	let attempts = 0;
	let close = async () => {};
	let elsewhere: string | undefined;
	if (trouble === "nowhere") elsewhere = "http://no-such-host.invalid";
	if (trouble === "untrusted") {
		const server = createServer(selfSigned()).listen(0, "127.0.0.1");
		await once(server, "listening");
		elsewhere = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
		close = async () => {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		};
	}
	const way: typeof fetch = async (input, init) => {
		attempts += 1;
		if (attempts > 1) return fetch(input, init);
		if (elsewhere) return fetch(String(input).replace(new URL(url).origin, elsewhere), init);
		if (typeof trouble !== "object") return fetch(input, init);
		const broken = (error: unknown) =>
			new TypeError("fetch failed", { cause: Object.assign(new Error(String(error)), { code: trouble.code }) });
		try {
			const response = await fetch(input, init);
			const body = response.body as ReadableStream<Uint8Array>;
			return new Response(withCode(body, broken), response);
		} catch (error) {
			throw broken(error);
		}
	};
	return { fetch: way, attempts: () => attempts, close: () => close() };
}

function withCode(body: ReadableStream<Uint8Array>, broken: (error: unknown) => Error): ReadableStream<Uint8Array> {
	const reader = body.getReader();
	return new ReadableStream({
		async pull(controller) {
			try {
				const { value, done } = await reader.read();
				if (done) controller.close();
				else controller.enqueue(value);
			} catch (error) {
				controller.error(broken(error));
			}
		},
		cancel: (reason) => reader.cancel(reason),
	});
}
