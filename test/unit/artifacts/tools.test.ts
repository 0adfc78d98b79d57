// The tools of notes, lists and views as a model calls them, over real files.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { artifactTools } from "../../../src/artifacts/artifactTools.ts";
import type { AgentDefinition, Role } from "../../../src/core/role.ts";
import { getAgent, getRole, listOfferedTools } from "../../../src/session/agent/sessionAgent.ts";
import { computeOffer } from "../../../src/session/prompt/computeOffer.ts";
import type { TestAppOptions } from "../../fakes/testApp.ts";
import { closeTestSessions, openTestSession, results, type TestSession } from "../session/testSession.ts";
import { keep, sweep } from "./support.ts";

interface Call {
	name: string;
	input: unknown;
}

/** A session of that agent in which the model makes these calls, one after the other. */
async function calling(
	agent: Partial<AgentDefinition>,
	calls: readonly Call[],
	options: Partial<TestAppOptions> = {},
): Promise<TestSession & { said: string[] }> {
	const definition = { agentId: "tested", displayName: "Tested", ...agent };
	const set = await openTestSession([...calls.map((call) => ({ calls: [call] })), { text: "Done." }], { agents: [definition], ...options });
	await set.session.setAgent("tested");
	await set.session.send("Go on");
	return { ...set, said: results(set.session).map(({ status, output }) => `${status}: ${output}`) };
}

const offered = (set: TestSession) => listOfferedTools(set.session).map(({ name }) => name);
const describedTo = ({ session }: TestSession) => computeOffer(session, getRole(session), getAgent(session)).described;
const told = (set: TestSession) => describedTo(set).map(({ name }) => name);

/** What every agent has, whatever its lists: not what these tests are about. */
const artifactNames = (names: string[]) => names.filter((name) => /^(notes|lists|views)_/.test(name));

describe("the tools of notes, lists and views", () => {
	afterEach(async () => {
		await closeTestSessions();
		sweep();
	});

	it("need no permission: capabilities rule them, and their inputs are flat", () => {
		for (const { name, plugin, permissions, capabilities, input } of artifactTools(keep().store)) {
			assert.ok(name.startsWith(`${plugin}_`));
			assert.deepEqual([permissions, capabilities.length], [[], 1]);
			assert.match(capabilities[0] as string, new RegExp(`^${plugin}\\.(read|write)$`));
			const { properties = {} } = z.toJSONSchema(input);
			for (const field of Object.values(properties)) assert.ok(!["object"].includes(String((field as { type: unknown }).type)), name);
		}
	});

	it("write, read, search, rename and delete notes", async () => {
		const { said, app } = await calling({ toolAllowlist: ["notes_*"] }, [
			{ name: "notes_write", input: { title: "Release notes", text: "# 1.0\nFirst", tags: ["work"] } },
			{ name: "notes_append", input: { note: "release notes", text: "More" } },
			{ name: "notes_read", input: { note: "release-notes" } },
			{ name: "notes_search", input: { query: "first tag:work" } },
			{ name: "notes_list", input: { tag: "home" } },
			{ name: "notes_rename", input: { note: "release-notes", title: "Changes", tags: [] } },
			{ name: "notes_read", input: { note: "nowhere" } },
			{ name: "notes_delete", input: { note: "Changes" } },
		]);
		assert.match(said[0] as string, /^ok: Created the note release-notes, version [0-9a-f]{12}\.$/);
		assert.match(said[2] as string, /^ok: id: release-notes\ntitle: Release notes\nversion: [0-9a-f]{12}\n#work\n\n# 1\.0\nFirst\nMore\n$/);
		assert.match(said[3] as string, /^ok: release-notes: Release notes · #work · First$/);
		assert.equal(said[4], "ok: [none]");
		assert.match(said[5] as string, /^ok: The note is now release-notes: Changes · \d{4}/);
		assert.equal(said[6], "error: There is no note “nowhere”. Look with notes_list. Nothing was changed.");
		assert.match(said[7] as string, /^ok: The note release-notes is in the trash/);
		assert.deepEqual(readdirSync(join(app.storage, "artifacts", "notes")), []);
	});

	it("replace a note only with the version that was read, and keep what was there in the trash", async () => {
		let version = "";
		const { said, app } = await calling({ toolAllowlist: ["notes_*"] }, [
			{ name: "notes_write", input: { title: "One", text: "old" } },
			{ name: "notes_write", input: { title: "One", text: "new" } },
			{ name: "notes_write", input: { title: "one", text: "new", version: "000000000000" } },
		]);
		assert.match(said[1] as string, /^error: There is a note one already\. It is at version ([0-9a-f]{12}) and says:\n\nold\n/);
		assert.match(said[2] as string, /^error: The note one has changed since version 000000000000\. .*old/s);
		version = /version ([0-9a-f]{12})/.exec(said[0] as string)?.[1] ?? "";
		const write = app.services.tools.find(({ name }) => name === "notes_write");
		const { output } = (await write?.run?.({ title: "One", text: "new", version }, {} as never)) ?? { output: "" };
		assert.match(output, /^Wrote the note one/);
		const folder = join(app.storage, "artifacts");
		assert.match(readFileSync(join(folder, "notes", "one.md"), "utf8"), /new\n$/);
		const [old] = readdirSync(join(folder, "trash"));
		assert.match(readFileSync(join(folder, "trash", old as string), "utf8"), /old\n$/);
	});

	it("keep lists: add, complete, move, change and remove items", async () => {
		const { said, app } = await calling({ toolAllowlist: ["lists_*"] }, [
			{ name: "lists_create", input: { name: "Shopping", items: ["Milk", "Bread"], tags: ["home"] } },
			{ name: "lists_items_add", input: { list: "shopping", titles: ["Eggs", "Salt"], tags: ["pantry"], position: 1 } },
			{ name: "lists_items_update", input: { list: "shopping", item: "milk", done: true, position: 1 } },
			{ name: "lists_items_update", input: { list: "shopping", item: "Salt", title: "Sea salt", notes: "coarse" } },
			{ name: "lists_items_remove", input: { list: "shopping", item: "Eggs" } },
			{ name: "lists_get", input: { list: "Shopping" } },
			{ name: "lists_get", input: { list: "Shopping", query: "done:false tag:pantry" } },
			{ name: "lists_update", input: { list: "Shopping", name: "Groceries", description: "For the week" } },
			{ name: "lists_list", input: {} },
			{ name: "lists_items_update", input: { list: "shopping", item: "Eggs", done: true } },
			{ name: "lists_delete", input: { list: "Groceries" } },
		]);
		assert.match(
			said[5] as string,
			/^ok: shopping: Shopping · 1 of 3 done · #home · [\d-]+\n\n\[x\] \w{8}: Milk\n\[ \] \w{8}: Sea salt · #pantry\n {2}coarse\n\[ \] \w{8}: Bread$/,
		);
		assert.match(said[6] as string, /\n\n\[ \] \w{8}: Sea salt · #pantry\n {2}coarse$/);
		assert.match(said[8] as string, /^ok: shopping: Groceries · 1 of 3 done · #home/);
		assert.equal(said[9], "error: There is no item “Eggs” in this list. Look with lists_get. Nothing was changed.");
		assert.match(said[10] as string, /in the trash/);
		assert.equal(readdirSync(join(app.storage, "artifacts", "trash")).length, 1);
	});

	it("ask across lists and notes, and keep what was asked as a view", async () => {
		const { said } = await calling({}, [
			{ name: "lists_create", input: { name: "Shopping", items: ["Milk"] } },
			{ name: "notes_write", input: { title: "Milk facts", text: "white" } },
			{ name: "views_query", input: { query: "milk" } },
			{ name: "views_create", input: { name: "Open", query: "done:false" } },
			{ name: "views_update", input: { view: "open", query: "sort:size" } },
			{ name: "views_update", input: { view: "open", name: "Still open" } },
			{ name: "views_get", input: { view: "Still open" } },
			{ name: "views_list", input: {} },
			{ name: "views_delete", input: { view: "open" } },
			{ name: "views_get", input: { view: "open" } },
		]);
		assert.match(said[2] as string, /^ok: 2 found\nnote milk-facts: Milk facts\n\[ \] shopping\/\w{8}: Milk$/);
		assert.match(said[4] as string, /^error: The query cannot be read: sort:size\. It takes .*Nothing was changed\.$/);
		assert.match(said[6] as string, /^ok: open: Still open · done:false · [\d-]+\n\n1 found\n/);
		assert.match(said[7] as string, /^ok: open: Still open · done:false/);
		assert.match(said[9] as string, /^error: There is no view/);
	});

	it("follow an agent's capability lists: one that may read lists writes none", async () => {
		const agent = { capabilityAllowlist: ["lists.*"], capabilityDenylist: ["lists.write"] };
		const set = await calling(agent, [
			{ name: "lists_list", input: {} },
			{ name: "lists_create", input: { name: "Shopping" } },
			{ name: "notes_list", input: {} },
		]);
		assert.deepEqual(artifactNames(offered(set)), ["lists_list", "lists_get"]);
		assert.equal(set.said[0], "ok: [none]");
		assert.deepEqual(
			set.said.slice(1).map((said) => said.startsWith("denied: Refused:")),
			[true, true],
		);
		assert.ok(!existsSync(join(set.app.storage, "artifacts", "lists")));
	});

	it("are an agent's from the start where it names them, in every role", async () => {
		const set = await calling({ toolAllowlist: ["notes_*"] }, []);
		const notes = ["notes_list", "notes_search", "notes_read", "notes_write", "notes_append", "notes_rename", "notes_delete"];
		assert.deepEqual(artifactNames(offered(set)), notes);
		assert.deepEqual(
			artifactNames(listOfferedTools(set.session, { role: set.app.policy.roles()[1] as Role }).map(({ name }) => name)),
			notes,
		);
	});

	it("are an agent's from the start where it only says what it does not have", async () => {
		const readers = await calling({ capabilityDenylist: ["*.write"] }, []);
		const reading = ["notes_list", "notes_search", "notes_read", "lists_list", "lists_get", "views_query", "views_list", "views_get"];
		assert.deepEqual(artifactNames(offered(readers)), reading);
		const keepers = await calling({ toolDenylist: ["views_*", "lists_*", "notes_delete"], capabilityDenylist: [] }, []);
		const kept = ["notes_list", "notes_search", "notes_read", "notes_write", "notes_append", "notes_rename"];
		assert.deepEqual(artifactNames(offered(keepers)), kept);
	});

	it("are all an agent's that has no lists: a call is not refused because its model was not told yet", async () => {
		const set = await calling({}, [
			{ name: "notes_list", input: {} },
			{ name: "lists_get", input: { list: "shopping" } },
		]);
		assert.deepEqual(artifactNames(set.model.requests[0]?.tools.map(({ name }) => name) ?? []), ["notes_write", "lists_create"]);
		assert.equal(set.said[0], "ok: [none]");
		assert.match(set.said[1] as string, /^error: There is no list/);
		const all = artifactTools(keep().store).map(({ name }) => name);
		assert.deepEqual(artifactNames(offered(set)), all);
	});

	it("are told to an agent without lists once there is something to use them on", async () => {
		const set = await calling({ toolDenylist: [] }, []);
		assert.deepEqual(artifactNames(told(set)), ["notes_write", "lists_create"]);
		const write = set.app.services.tools.find(({ name }) => name === "notes_write");
		await write?.run?.({ title: "One", text: "x" }, {} as never);
		const now = artifactNames(told(set));
		assert.deepEqual(now.filter((name) => name.startsWith("notes_")).length, 7);
		assert.deepEqual(
			now.filter((name) => !name.startsWith("notes_")),
			["lists_create", "views_query", "views_create"],
		);
	});

	it("are switched off by plugin", async () => {
		const set = await calling({}, [{ name: "notes_write", input: { title: "One", text: "x" } }], { settings: { pluginsOff: ["notes"] } });
		assert.deepEqual(artifactNames(told(set)), ["lists_create"]);
		assert.match(set.said[0] as string, /^denied: Refused: The plugin notes is switched off/);
	});

	it("say nothing more than fits, and how to go on", async () => {
		const text = Array.from({ length: 4_000 }, (_, line) => `line ${line} of a long note`).join("\n");
		const { said } = await calling({ toolAllowlist: ["notes_*"] }, [
			{ name: "notes_write", input: { title: "Long", text } },
			{ name: "notes_read", input: { note: "long" } },
			{ name: "notes_read", input: { note: "long", start: 3_990 } },
			{ name: "notes_write", input: { title: "Too long", text: "x".repeat(300_000) } },
		]);
		const start = Number(/\[\d+ more; go on with start=(\d+)\]$/.exec(said[1] as string)?.[1]);
		assert.ok(start > 500 && Buffer.byteLength(said[1] as string) < 32_000);
		assert.ok(said[1]?.includes(`line ${start - 2} of`) && !said[1].includes(`line ${start - 1} of`));
		assert.match(said[2] as string, /line 3999 of a long note\n$/);
		assert.equal(said[3], "error: A note holds at most 256 KB. Divide it. Nothing was changed.");
	});

	it("are listed in the prompt's parts by type: the latest of them, and how many more", async () => {
		const { app } = await calling({}, [
			{ name: "notes_write", input: { title: "One", text: "x" } },
			{ name: "lists_create", input: { name: "Shopping" } },
		]);
		assert.deepEqual(await app.services.parts.artifacts(), [
			{ type: "note", items: [{ id: "one", name: "One" }] },
			{ type: "list", items: [{ id: "shopping", name: "Shopping" }] },
		]);
	});
});
