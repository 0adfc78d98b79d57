// Tests the exported API on the offline model and a copy of the sample: agents, sessions, plans, approvals, roles.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import type { TroupeApi } from "../../../src/api.ts";
import type { EventOf, TranscriptEvent } from "../../../src/core/events.ts";
import { createTroupeApi } from "../../../src/integrations/exportedApi.ts";
import { createOfflineProvider } from "../../../src/models/offline/offline.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { type Heard, heardIn } from "../../host/heard.ts";

const request = "Rename formatPrice to formatMoney everywhere";
const changing = ["update_file", "create_file", "delete_file", "rename_file", "apply_patch", "execute_command"];

let home: string;
let app: TestApp;
let api: TroupeApi;
let heard: Heard | undefined;
/** The app's clock, in milliseconds: it stands still unless the test moves it. */
let time: number;

function text(path: string): string {
	return readFileSync(join(app.folder, path), "utf8");
}

async function session(role: string): Promise<Heard & { id: string }> {
	const { sessionId } = await api.createSession({ role });
	heard = await heardIn(api, sessionId);
	return { ...heard, id: sessionId };
}

/** Answers an approval once it is old enough. */
async function allow(sessionId: string, { request: id }: EventOf<"asked">): Promise<void> {
	time += 1_000;
	await api.answer(sessionId, id, { allow: true, always: false });
}

describe("the exported API", () => {
	// The sample builds itself with esbuild, which a copy finds in this repository.
	const path = process.env["PATH"];
	before(() => {
		process.env["PATH"] = [resolve("node_modules", ".bin"), path].join(delimiter);
	});
	after(() => {
		process.env["PATH"] = path;
	});

	beforeEach(async () => {
		time = Date.now();
		home = mkdtempSync(join(tmpdir(), "exported-api-"));
		mkdirSync(join(home, "workspace"));
		cpSync(join("samples", "shop"), join(home, "workspace"), { recursive: true });
		app = await openTestApp({ model: createOfflineProvider(), home, now: () => new Date(time) });
		api = createTroupeApi(app.sessions);
	});
	afterEach(async () => {
		heard?.dispose();
		await app.close();
		rmSync(home, { recursive: true, force: true });
	});

	it("lists agents, and sessions as they were created", async () => {
		assert.ok((await api.agents()).some(({ agentId, displayName }) => agentId === "default" && displayName === "General Assistant"));
		await api.createSession({ name: "Prices", role: "reviewer", sessionId: "prices-1" });
		const listed = (await api.sessions()).find((candidate) => candidate.sessionId === "prices-1");
		assert.deepEqual(
			{ name: listed?.name, role: listed?.role, agentId: listed?.agentId },
			{ name: "Prices", role: "reviewer", agentId: "default" },
		);
		const attached = await api.createSession({ sessionId: "prices-1", agentId: "default", name: "Other", role: "planner" });
		assert.deepEqual([attached.name, attached.role], ["Prices", "reviewer"]);
		await assert.rejects(api.createSession({ sessionId: "prices-1", agentId: "explain" }), { code: "exists" });
		await assert.rejects(api.createSession({ sessionId: "../prices" }), /letters, digits/);
		await assert.rejects(api.createSession({ role: "king" }), /The role king doesn't exist/);
		await assert.rejects(api.send("nobody", "Hello"), /session nobody doesn.t exist/);
	});

	it("lets a planner plan, and offers it no tool that changes anything", async () => {
		const { id } = await session("planner");
		const offered = (await api.tools(id)).map(({ name }) => name);
		assert.deepEqual(
			changing.filter((name) => offered.includes(name)),
			[],
		);
		assert.ok(offered.includes("read_file") && offered.includes("present_plan"));
		const planned = await api.send(id, request);
		assert.equal(planned.outcome, "waiting");
		assert.ok(planned.toolCalls.every(({ status }) => status === "ok"));
		const [plan, ...others] = await api.pending(id);
		assert.deepEqual([plan?.kind, others], ["plan", []]);
		assert.match(plan?.summary ?? "", /formatMoney/);
		assert.match(text("src/money.ts"), /formatPrice/);
	});

	it("executes a plan, rejects an early answer and records who answered", async () => {
		const { id, first, events: heardEvents } = await session("planner");
		await api.send(id, request);
		const turn = api.executePlan(id);
		const asked = await first("asked");
		await assert.rejects(api.answer(id, asked.request, { allow: true }), /came too quickly/);
		assert.deepEqual(await api.pending(id), [{ requestId: asked.request, kind: "approval", summary: asked.summary }]);
		assert.doesNotMatch(text("src/money.ts"), /formatPrice/, "the edits came before");
		await allow(id, asked);
		await assert.rejects(api.answer(id, asked.request, { allow: true }), /expired or was already answered/);
		const { outcome, text: said, toolCalls } = await turn;
		assert.equal(outcome, "done");
		assert.match(said, /\w/);
		assert.equal(toolCalls.find(({ name }) => name === "execute_command")?.status, "ok");

		const events = await api.transcript(id);
		assert.deepEqual(heardEvents, events, "listeners hear every event as it is kept");
		assert.deepEqual(
			events.map(({ seq }) => seq),
			events.map((_, index) => index + 1),
		);
		const answered = events.find((event) => event.type === "answered");
		assert.deepEqual([answered?.by, answered?.request], ["api", asked.request]);
		assert.equal(events.find((event) => event.type === "role" && event.plan)?.by, "api");
		assert.deepEqual(
			ofType(events, "ended").map((event) => event.outcome),
			["waiting", "done"],
		);
	});

	it("changes the role, and with it the tools that the gate offers", async () => {
		const { id } = await session("planner");
		await api.setRole(id, "actor");
		const offered = (await api.tools(id)).map(({ name }) => name);
		assert.deepEqual(
			changing.filter((name) => !offered.includes(name)),
			[],
		);
		const last = (await api.transcript(id)).at(-1);
		assert.deepEqual([last?.type, last?.by], ["role", "api"]);
		await assert.rejects(api.setRole(id, "king"), /The role king doesn't exist/);
	});

	it("queues a message sent during a turn; both resolve with that turn", async () => {
		const { id, first } = await session("actor");
		const sent = api.send(id, "Run the tests");
		const asked = await first("asked");
		const queued = api.send(id, "Find parsePrice");
		await allow(id, asked);
		assert.deepEqual(await sent, await queued);
		const said = ofType(await api.transcript(id), "user");
		assert.deepEqual(
			said.map(({ text: words, by }) => [words, by]),
			[
				["Run the tests", "api"],
				["Find parsePrice", "api"],
			],
		);
		assert.equal(said[0]?.turn, said[1]?.turn);
	});

	it("cancels a waiting turn, whose request then takes no answer", async () => {
		const { id, first } = await session("actor");
		const turn = api.send(id, "Run the tests");
		const asked = await first("asked");
		await api.cancel(id);
		const { outcome, toolCalls } = await turn;
		assert.deepEqual([outcome, toolCalls.at(-1)?.status], ["cancelled", "cancelled"]);
		await assert.rejects(api.answer(id, asked.request, { allow: true }), /expired or was already answered/);
		assert.deepEqual(await api.pending(id), []);
	});
});

function ofType<T extends TranscriptEvent["type"]>(events: readonly TranscriptEvent[], type: T): EventOf<T>[] {
	return events.filter((event): event is EventOf<T> => event.type === type);
}
