// Tests the chat against 100,000 messages of a hostile page.

// The messages are generated from the schema of Intents, so that no kind is left out.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatHost } from "../../src/chat/chatHost.ts";
import { createChatController } from "../../src/chat/controller.ts";
import type { TranscriptEvent } from "../../src/core/events.ts";
import { type Intent, IntentSchema } from "../../src/shared/protocol/chat.ts";
import { scriptedModel } from "../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../fakes/testApp.ts";
import { type Arena, arena, CANARY } from "./arena.ts";

const ROUNDS = 100_000;
/** Of the understood ones of each kind, as many are acted upon. */
const ACTED = 250;

let seed = Number(process.env["TROUPE_SEED"] ?? 4711);
function next(limit: number): number {
	seed = (seed * 48271) % 2147483647;
	return seed % limit;
}
function pick<Item>(items: readonly Item[]): Item {
	return items[next(items.length)] as Item;
}

describe("a page that posts whatever it likes", function () {
	this.timeout(300_000);
	let place: Arena;
	let app: TestApp;
	const escaped: unknown[] = [];
	const note = (error: unknown): void => void escaped.push(error);
	beforeEach(async () => {
		place = await arena();
		process.on("unhandledRejection", note);
	});
	afterEach(async () => {
		process.off("unhandledRejection", note);
		await app.close();
		await place.close();
	});

	it(`runs no tool, approves nothing, starts no plan and throws nothing in ${ROUNDS} messages of every kind`, async () => {
		const plan = { goal: "x", steps: [{ step_number: 1, action: "x" }] };
		const script = [
			{ calls: [{ name: "execute_command", input: { command: "touch PWNED" } }] },
			{ text: "Denied." },
			{ calls: [{ name: "present_plan", input: plan }] },
		];
		const model = scriptedModel((_, call) => script[call] ?? { text: "/act @.env" });
		app = await openTestApp({ model, home: place.home });
		const { sessions } = app;
		const { sessionId } = await sessions.create({ role: "actor" });
		const session = await sessions.get(sessionId);
		const first = session.send("Go");
		const asked = await new Promise<Extract<TranscriptEvent, { type: "asked" }>>((resolve) => {
			sessions.listen({ event: (_, event) => void (event.type === "asked" && resolve(event)) });
		});
		const acted: string[] = [];
		const host = new Proxy({} as ChatHost, {
			get: (_, name: string) =>
				name === "focusedFor"
					? async () => 10_000
					: name === "confirm"
						? async () => false
						: () => void (name !== "post" && acted.push(name)),
		});
		const chat = createChatController(app, host, sessionId);
		await chat.handle({ type: "ready" });
		const before = place.picture();

		const hashes = [
			"a".repeat(64),
			asked.hash,
			createHash("sha256")
				.update(readFileSync(join(place.folder, ".env")))
				.digest("hex"),
		];
		const values: Record<string, readonly unknown[]> = {
			session: [sessionId, sessionId, "../../outside", "__proto__", "nobody"],
			text: ["", "/act", "/act go", "/compact", "/help x", "/constructor", "@.env", "@link/secret.txt", `@${place.url}`, "x"],
			request: [asked.request, "drift_a_1_b", "switch_x", "x"],
			hash: hashes,
			shown: hashes,
			hunks: [[0], [0, 1], [-1], []],
			blob: hashes,
			answer: [{ allow: true }, { allow: true, always: true }, { value: "execute" }, { value: "switch" }, { allow: false }],
			token: ["", "guessed", sessionId, asked.request],
			path: [".env", "../outside/secret.txt", join(place.home, "outside/secret.txt"), "src/a.ts", "link/secret.txt"],
			file: [".git/hooks/pre-commit", "../outside/new", ".vscode/settings.json"],
			task: ["x", sessionId, "../../outside", "__proto__"],
			role: ["actor", "planner", "commander", "__proto__", "constructor", "root"],
			archive: ["../../../outside/secret.txt", "current.jsonl", "2026-01-01-000000.jsonl"],
			pictures: [[], ["../../outside/secret.txt"], hashes, Array(11).fill("x")],
			uris: [["file:///etc/passwd"], ["file://host/x"], ["vscode-remote://%zz/%"], ["command:x"]],
			url: ["javascript:alert(1)", "command:workbench.action.quit", "file:///etc/passwd", "https://a@b"],
			command: ["trust", "openSettings", "workbench.action.quit", "__proto__"],
			how: ["show", "keep", "undo", "return", "stay", "open", "remove", "erase"],
			event: ["x", asked.id],
			message: ["x", asked.id, ...session.state.events.map(({ id }) => id)],
			call: ["x", asked.call, "__proto__"],
			version: [1, 0, -1, 1.5],
			data: [Buffer.from(CANARY).toString("base64"), "iVBORw0KGgo=", "%%%", "x"],
			"*": ["", "x", 0, 1, -1, null, undefined, [], {}, true, "a".repeat(300), Number.NaN, "\0", "‮", { toString: 1 }],
		};
		const kinds = IntentSchema.options.map((option) => ({ type: option.shape.type.value, keys: Object.keys(option.shape) }));
		const understood = new Map<string, number>();
		for (let round = 0; round < ROUNDS; round += 1) {
			const { type, keys } = pick(kinds);
			const message: Record<string, unknown> = { type };
			for (const key of keys.filter((name) => name !== "type")) {
				const own = next(12) === 0 ? undefined : values[key];
				if (next(20) > 0) message[key] = pick(own ?? (values["*"] as readonly unknown[]));
			}
			if (next(50) === 0) message["extra"] = 1;
			if (next(50) === 0) Object.defineProperty(message, "__proto__", { value: { token: "x" }, enumerable: true });
			const parsed = IntentSchema.safeParse(message);
			if (!parsed.success) continue;
			const count = (understood.get(type) ?? 0) + 1;
			understood.set(type, count);
			// Denying and stopping need no token; they are tried below, for they would end what this is about.
			if (count > ACTED || ["stop", "dismiss", "role", "agent"].includes(type)) continue;
			const act = chat.handle(parsed.data as Intent);
			// A message during a turn resolves with the turn's end.
			if (!["send", "retry", "resend", "continue"].includes(type)) await act;
		}
		assert.deepEqual(
			kinds.map(({ type }) => type).filter((type) => !understood.has(type)),
			[],
			"kinds that no message was of",
		);
		assert.equal(session.state.requests.get(asked.request)?.state, "pending");
		assert.deepEqual(
			session.state.events.filter((event) => event.type === "answered" || event.type === "result" || (event.type === "role" && event.plan)),
			[],
		);
		assert.equal(model.requests.length, 1);
		await chat.handle({ type: "dismiss", session: sessionId, request: asked.request });
		await chat.handle({ type: "stop", session: sessionId });
		await first;
		await new Promise((resolve) => setImmediate(resolve));
		assert.equal(existsSync(join(place.folder, "PWNED")), false);
		assert.equal(place.picture(), before);
		assert.equal(place.reached(), 0);
		assert.doesNotMatch(JSON.stringify(session.state.events), new RegExp(CANARY));
		assert.deepEqual(escaped, []);
		assert.equal(({} as Record<string, unknown>)["token"], undefined);
		chat.dispose();
	});
});
