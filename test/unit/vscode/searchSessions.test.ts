// The list of sessions behind the history button: how rows look, and what their buttons do in place.
import assert from "node:assert/strict";
import type { SessionSummary } from "../../../src/core/events.ts";
import type { Engine } from "../../../src/vscode/engine.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";
import { taskRecord, taskSummary } from "../storage/support.ts";

type Search = typeof import("../../../src/vscode/agents/sessionSearchPicker.ts");
type Loaded = Awaited<ReturnType<typeof onEditorWindow<Search>>>;

const now = () => new Date().toISOString();
const summary = (sessionId: string, rest: Partial<SessionSummary> = {}): SessionSummary => ({
	sessionId,
	agentId: "default",
	name: sessionId,
	createdAt: now(),
	updatedAt: now(),
	messageCount: 1,
	role: "planner",
	...rest,
});

describe("the list of sessions", () => {
	let at: Loaded;

	before(async () => {
		at = await onEditorWindow<Search>("searchSessions", "src/vscode/agents/sessionSearchPicker.ts");
	});

	async function opened(sessions: SessionSummary[], open?: string, tasks: SessionSummary[] = []) {
		const engine = {
			sessions: {
				list: async () => [...sessions],
				tasks: async () => tasks,
				running: async () => ["Runs"],
				policy: { agents: () => [{ agentId: "default", displayName: "General Assistant" }] },
				services: {
					store: {
						async *search(ids: string[], words: string) {
							for (const sessionId of ids) if (words === "discount") yield { sessionId, text: "about the discount" };
						},
					},
				},
			},
			log: () => undefined,
		} as unknown as Engine;
		const picked = at.pickFromSessionSearch(engine, open);
		const settled = () => new Promise((resolve) => setTimeout(resolve));
		await settled();
		const pick = at.picks.at(-1);
		assert.ok(pick);
		return { pick, picked, settled };
	}

	it("shows what failed, runs, waits or is open, in groups", async () => {
		const { pick } = await opened(
			[
				summary("Kept", { pinnedAt: now() }),
				summary("Failed", { outcome: "failed" }),
				summary("Runs"),
				summary("Asks", { waits: ["question"], outcome: "waiting" }),
				summary("Old", { updatedAt: "2020-01-01T00:00:00.000Z", outcome: "done" }),
			],
			"Kept",
		);
		assert.deepEqual(
			pick.items.map(({ label, description = "" }) => [label, description.replace(/ · General Assistant.*/, "")]),
			[
				["Pinned", ""],
				["$(comment) Kept", "General Assistant · now · open in the chat"],
				["Today", ""],
				["$(error) Failed", "failed"],
				["$(loading~spin) Runs", "running"],
				["$(circle-filled) Asks", "needs your attention"],
				["Earlier", ""],
				["$(comment) Old", pick.row("Old").description],
			],
		);
		pick.hide();
	});

	it("opens the one that is chosen", async () => {
		const { pick, picked } = await opened([summary("One"), summary("Two")]);
		pick.accept("Two");
		assert.equal(await picked, "Two");
	});

	it("pins in place, and comes back after a rename and a deletion", async () => {
		const sessions = [summary("One"), summary("Two")];
		const { pick, picked, settled } = await opened(sessions);
		at.handlers.set("troupe.pinSession", () => sessions.splice(0, 1, summary("One", { pinnedAt: now() })));
		pick.press("One", "Pin");
		await settled();
		assert.deepEqual(
			pick.row("One").buttons?.map(({ tooltip }) => tooltip),
			["Rename", "Unpin", "Delete"],
		);
		assert.equal(pick.shows, 1);

		// Whatever asks takes the place of the list.
		at.handlers.set("troupe.renameSession", () => {
			pick.hide();
			sessions.splice(1, 1, summary("Two", { name: "Second" }));
		});
		pick.press("Two", "Rename");
		await settled();
		assert.equal(pick.row("Second").label, "$(comment) Second");
		at.handlers.set("troupe.deleteSession", () => {
			pick.hide();
			sessions.pop();
		});
		pick.press("Second", "Delete");
		await settled();
		assert.deepEqual([pick.visible, pick.shows, pick.items.length], [true, 3, 2]);
		pick.hide();
		assert.equal(await picked, undefined);
	});

	it("finds words of messages a moment later, below what is listed, which keeps its place", async () => {
		const { pick } = await opened([summary("One"), summary("A discount")]);
		const listed = pick.items.map(({ label }) => label);
		pick.type("discount");
		while (pick.busy) await new Promise((resolve) => setTimeout(resolve, 10));
		assert.deepEqual(
			pick.items.slice(0, listed.length).map(({ label }) => label),
			listed,
		);
		assert.deepEqual(
			pick.items.slice(listed.length).map(({ label, detail = "" }) => [label, detail]),
			[
				["In messages", ""],
				["$(comment) One", "about the discount"],
			],
			"a session that its title already shows is listed once",
		);
		pick.hide();
	});

	it("finds background tasks by name and message once something is typed, and says what they are", async () => {
		const done = taskSummary("Slow tests", taskRecord("done"), { updatedAt: now(), name: "Slow tests" });
		const asks = taskSummary("Asks", taskRecord("waiting"), { updatedAt: now(), name: "Asks" });
		const { pick, picked } = await opened([summary("One")], undefined, [done, asks]);
		assert.deepEqual(
			pick.items.map(({ label }) => label),
			["Today", "$(comment) One"],
		);
		pick.type("slow");
		while (pick.busy) await new Promise((resolve) => setTimeout(resolve, 10));
		assert.deepEqual(
			pick.items.map(({ label, description }) => [label, description]),
			[
				["Today", undefined],
				["$(comment) One", "General Assistant · now"],
				["Background Tasks", undefined],
				["$(pass) Slow tests", "background task · Completed · now"],
				["$(circle-filled) Asks", "background task · Needs information · now"],
			],
		);
		assert.equal(pick.row("Slow tests").buttons, undefined);
		pick.type("discount");
		while (pick.busy) await new Promise((resolve) => setTimeout(resolve, 10));
		assert.deepEqual(
			pick.items.flatMap(({ label, detail }) => (detail === undefined ? [] : [label])),
			["$(comment) One", "$(pass) Slow tests", "$(circle-filled) Asks"],
		);
		pick.accept("Slow tests");
		assert.equal(await picked, "Slow tests");
	});
});
