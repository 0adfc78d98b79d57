// The registry over real files: what people make, and what a change does to those who work.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentDraft } from "../../../src/core/agent.ts";
import { changeAgentField } from "../../../src/storage/agents/agentFiles.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp } from "../../fakes/testApp.ts";
import { closeTestRegistries, ids, openTestRegistry, type TestRegistry } from "./testRegistry.ts";

const entryOf = ({ shared }: TestRegistry, agentId: string): Record<string, unknown> =>
	JSON.parse(readFileSync(join(shared, "agents", `${agentId}.json`), "utf8")) as Record<string, unknown>;

describe("the registry of agents", () => {
	afterEach(closeTestRegistries);

	it("keeps a new agent in a file of its own, and finds it again", async () => {
		const app = await openTestRegistry();
		let changes = 0;
		app.registry.onChange(() => changes++);
		const draft: AgentDraft = {
			displayName: "Release notes",
			systemPrompt: "Write.",
			toolAllowlist: ["read_file", "notes_*"],
			color: "charts.green",
		};
		const made = await app.registry.create(draft);
		assert.match(made.agentId, /^agent-\d{13}-[0-9a-f]{6}$/);
		assert.deepEqual(made, { agentId: made.agentId, ...draft });
		assert.deepEqual(ids(app), ["default", made.agentId]);
		assert.equal(changes, 1);
		const { createdAt, updatedAt, ...entry } = entryOf(app, made.agentId);
		assert.deepEqual([entry, createdAt === updatedAt && typeof createdAt], [made, "string"]);
		const again = await app.open();
		assert.deepEqual(again.catalog(), app.registry.catalog());
		assert.deepEqual(again.catalog().agents[2]?.own, draft);
	});

	it("changes what a draft says, and leaves approvals, dates and unknown fields as they are on disk", async () => {
		const app = await openTestRegistry();
		const { agentId } = await app.registry.create({ displayName: "A", description: "x", toolAllowlist: ["a"] });
		await changeAgentField(join(app.shared, "agents"), agentId, "allowedTools", () => ["read_file"]);
		await changeAgentField(join(app.shared, "agents"), agentId, "odd", () => 1);
		const { createdAt } = entryOf(app, agentId);
		const changed = await app.registry.update(agentId, { displayName: "B", toolAllowlist: null, allowedTools: ["execute_command(rm)"] });
		assert.deepEqual(changed, { agentId, displayName: "B", allowedTools: ["read_file"] });
		const { updatedAt, ...entry } = entryOf(app, agentId);
		assert.deepEqual(entry, { agentId, displayName: "B", allowedTools: ["read_file"], odd: 1, createdAt });
		assert.ok(String(updatedAt) >= String(createdAt));
	});

	it("keeps what a template takes back, and writes nothing that is inherited", async () => {
		const app = await openTestRegistry();
		app.settings = [{ agentId: "base", displayName: "Base", model: "x/y", toolAllowlist: ["a"] }];
		app.put("global/agents/mine.json", { id: "mine", name: "Mine", extends: "base", model: null });
		await app.registry.refresh();
		const own = app.registry.catalog().agents.find(({ definition }) => definition.agentId === "mine")?.own;
		assert.deepEqual(own, { displayName: "Mine", extends: "base" });
		const { updatedAt: _, ...entry } = await app.registry
			.update("mine", { ...(own as AgentDraft), displayName: "Ours", toolAllowlist: null })
			.then(() => entryOf(app, "mine"));
		assert.deepEqual(entry, { id: "mine", name: "Ours", extends: "base", model: null, toolAllowlist: null });
		assert.deepEqual(app.registry.definitions().at(-1), { agentId: "mine", displayName: "Ours", extends: "base" });
		await app.registry.update("mine", { displayName: "Ours", extends: "base" });
		assert.equal("toolAllowlist" in entryOf(app, "mine"), false, "a list that is not cleared any more is inherited again");
	});

	it("removes an agent and its file; those that extend it say what they miss", async () => {
		const app = await openTestRegistry();
		const { agentId } = await app.registry.create({ displayName: "A" });
		const child = await app.registry.create({ displayName: "B", extends: agentId });
		await app.registry.remove(agentId);
		assert.deepEqual([ids(app), existsSync(join(app.shared, "agents", `${agentId}.json`))], [["default"], false]);
		const { broken } = app.registry.catalog();
		assert.deepEqual(
			broken.map(({ label }) => label),
			[child.agentId],
		);
		assert.match(broken[0]?.problem ?? "", new RegExp(`The parent agent “${agentId}” doesn't exist$`));
	});

	it("changes and removes only what is in the person's own files", async () => {
		const app = await openTestRegistry();
		app.settings = [{ agentId: "set", displayName: "Set" }];
		await app.registry.refresh();
		await assert.rejects(
			app.registry.update("default", { displayName: "X" }),
			/General Assistant is a built-in agent\. Duplicate the agent/,
		);
		await assert.rejects(app.registry.remove("default"), /built-in agent/);
		await assert.rejects(app.registry.remove("set"), /Set is defined in the setting troupe\.agents/);
		await assert.rejects(app.registry.remove("nobody"), /The agent “nobody” doesn't exist/);
	});

	it("copies any agent, without what it may do unasked, under a name of its own", async () => {
		const app = await openTestRegistry();
		app.settings = [{ agentId: "set", displayName: "Set", toolAllowlist: ["a"], allowedTools: ["read_file"] }];
		await app.registry.refresh();
		const names: unknown[] = [];
		for (const agentId of ["set", "set", "default"])
			names.push(await app.registry.duplicate(agentId).then(({ agentId: _, ...rest }) => rest));
		const copy = app.registry.definitions().find(({ displayName }) => displayName === "Set copy");
		names.push((await app.registry.duplicate(copy?.agentId ?? "")).displayName);
		const { agentId: _, ...general } = app.registry.definitions()[0] ?? { agentId: "" };
		assert.deepEqual(names, [
			{ displayName: "Set copy", toolAllowlist: ["a"] },
			{ displayName: "Set copy 2", toolAllowlist: ["a"] },
			{ ...general, displayName: "General Assistant copy" },
			"Set copy 3",
		]);
		const { agentId: mine } = await app.registry.create({ displayName: "Mine" });
		await changeAgentField(join(app.shared, "agents"), mine, "allowedTools", () => ["read_file"]);
		await app.registry.refresh();
		const { agentId: again, ...entry } = await app.registry.duplicate(mine);
		assert.deepEqual([entry, "allowedTools" in entryOf(app, again)], [{ displayName: "Mine copy" }, false]);
	});

	it("says of a draft what is wrong, by field, and keeps none of it", async () => {
		const app = await openTestRegistry();
		const { agentId } = await app.registry.create({ displayName: "A" });
		const { agentId: child } = await app.registry.create({ displayName: "B", extends: agentId });
		const { registry } = app;
		assert.deepEqual(registry.check({ displayName: "A", toolAllowlist: ["**/**/**/**/**/x"] }), []);
		assert.deepEqual(registry.check({ displayName: "", toolDenylist: [1] as unknown as string[] }), [
			{ field: "displayName", problem: "Must not be empty" },
			{ field: "toolDenylist", problem: "1: Must be text" },
		]);
		assert.deepEqual(registry.check({ displayName: "A", extends: "nobody" }), [
			{ field: "extends", problem: "The parent agent “nobody” doesn't exist" },
		]);
		const ring = { field: "extends", problem: `Circular inheritance: ${agentId} → ${child} → ${agentId}` };
		assert.deepEqual(registry.check({ displayName: "A", extends: child }, agentId), [ring]);
		await assert.rejects(registry.update(agentId, { displayName: "A", extends: child }), { message: `${ring.field}: ${ring.problem}` });
		await assert.rejects(registry.create({ displayName: "" }), /displayName: /);
		await assert.rejects(registry.update(agentId, { displayName: "" }), /displayName: /);
		assert.equal(entryOf(app, agentId)["displayName"], "A");
		assert.equal(readdirSync(join(app.shared, "agents")).length, 2);
	});

	it("remembers who was spoken to last, and the default one where that is gone", async () => {
		const app = await openTestRegistry();
		assert.equal(app.registry.lastUsed(), "default");
		const { agentId } = await app.registry.create({ displayName: "A" });
		app.put("global/agents/_preferences.json", { defaultAgentAllowedTools: ["read_file"], odd: 1 });
		await app.registry.used(agentId);
		assert.equal((await app.open()).lastUsed(), agentId);
		const kept = JSON.parse(readFileSync(join(app.shared, "agents", "_preferences.json"), "utf8")) as unknown;
		assert.deepEqual(kept, { defaultAgentAllowedTools: ["read_file"], odd: 1, lastUsedAgentId: agentId });
		await app.registry.remove(agentId);
		assert.equal(app.registry.lastUsed(), "default");
	});

	it("gives whoever asks a reading that began after they asked", async () => {
		const app = await openTestRegistry();
		const first = app.registry.refresh();
		app.put("global/agents/a.json", { agentId: "a", displayName: "A" });
		await Promise.all([first, app.registry.refresh(), app.registry.refresh()]);
		assert.deepEqual(ids(app), ["default", "a"]);
		const before = app.registry.catalog();
		await app.registry.refresh();
		assert.equal(app.registry.catalog(), before, "nothing has changed, and nobody is told so");
	});
});

describe("a turn that runs while its agent changes", () => {
	afterEach(closeTestRegistries);

	async function playing(change: (app: TestRegistry, agentId: string) => Promise<unknown>) {
		const app = await openTestRegistry();
		const { agentId } = await app.registry.create({ displayName: "A", systemPrompt: "First.", toolAllowlist: ["read_file"] });
		const model = scriptedModel(async (_, call) => {
			if (call === 0) await change(app, agentId);
			const list = { name: "list_directory", input: { path: "." } };
			return call === 1
				? { text: "Done." }
				: call === 3
					? { text: "Done again." }
					: { calls: [{ name: "read_file", input: { path: "a.txt" } }, list] };
		});
		const { sessions, close } = await openTestApp({ model, registry: app.registry, files: { "a.txt": "one" } });
		try {
			const { sessionId } = await sessions.create({ agentId });
			const session = await sessions.get(sessionId);
			const outcomes = [await session.send("Go"), await session.send("Again")].map(({ outcome }) => outcome);
			const results = [...session.state.calls.values()].map(({ call, result }) => `${call.name} ${result?.status}`);
			const [before, after] = model.requests.map(({ tools }) => tools.map(({ name }) => name));
			assert.deepEqual(after, before);
			assert.ok(before?.includes("read_file"));
			return { outcomes, results, begun: model.requests.map(({ system }) => system.split("\n")[0]) };
		} finally {
			await close();
		}
	}

	it("finishes under the definition it began with, and the next has the new one", async () => {
		const played = await playing((app, agentId) =>
			app.registry.update(agentId, { displayName: "A", systemPrompt: "Second.", toolAllowlist: ["list_directory"] }),
		);
		assert.deepEqual(played, {
			outcomes: ["done", "done"],
			results: ["read_file ok", "list_directory denied", "read_file denied", "list_directory ok"],
			begun: ["First.", "First.", "Second.", "Second."],
		});
	});

	it("finishes though the agent is deleted, and the next is refused", async () => {
		const played = await playing((app, agentId) => app.registry.remove(agentId));
		assert.deepEqual(played, {
			outcomes: ["done", "failed"],
			results: ["read_file ok", "list_directory denied"],
			begun: ["First.", "First."],
		});
	});
});
