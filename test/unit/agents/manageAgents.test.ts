// The page "Manage Agents": what it lists, keeps and drops, and which standing approvals it lets in.
import assert from "node:assert/strict";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { desk, leave, REVIEWER, reviewer } from "./manageFixture.ts";

describe("the page of agents", () => {
	afterEach(leave);

	it("lists the default agent first, then by source, with what is broken and what waits among them", async () => {
		const { last, registry, page } = await desk({
			settings: [{ agentId: "journal", displayName: "Journal", uiVisible: false }, { agentId: "no good" }],
			files: { [REVIEWER]: reviewer },
			grants: [{ agentId: "journal" }],
		});
		const made = await registry.create({ displayName: "Mine" });
		await page.handleMessage({ type: "ready" });
		assert.deepEqual(
			last("snapshot").view.rows.map((row) => [
				row.kind,
				row.label,
				row.origin,
				row.kind === "agent" ? [row.hidden, row.editable, row.grants] : [],
			]),
			[
				["agent", "General Assistant", "builtin", [false, false, 0]],
				["agent", "Main Agent", "builtin", [false, false, 0]],
				["agent", "Journal", "settings", [true, false, 1]],
				["broken", "no good", "settings", []],
				["agent", "Mine", "own", [false, true, 0]],
				["waiting", "reviewer", "workspace", []],
			],
		);
		assert.equal(last("snapshot").view.rows[4]?.key, `agent:${made.agentId}`);
		assert.deepEqual(
			last("view").view.models?.map(({ label }) => label),
			["House"],
		);
	});

	it("lists a new agent first in the message that ends its draft, so that it never stands there twice", async () => {
		const { page, updates } = await desk();
		const from = updates.length;
		await page.handleMessage({ type: "save", key: "new:1", draft: { displayName: "Release notes" } });
		const lists = (update: (typeof updates)[number]) => "view" in update && update.view.rows.some(({ label }) => label === "Release notes");
		assert.equal(updates.slice(from).find(lists)?.type, "saved");
	});

	it("makes an agent of a name alone, changes it, copies it, and deletes it once the person says so", async () => {
		const { page, last, registry, person, detail } = await desk();
		await page.handleMessage({ type: "save", key: "new:1", draft: { displayName: "Release notes" } });
		const { key, as } = last("saved");
		assert.equal(key, "new:1");
		await page.handleMessage({ type: "save", key: as, draft: { displayName: "Release notes", color: "charts.blue" } });
		assert.equal(registry.definitions()[2]?.color, "charts.blue");
		assert.deepEqual(detail().kind === "agent" && detail(), { ...detail(), draft: { displayName: "Release notes", color: "charts.blue" } });
		await page.handleMessage({ type: "duplicate", key: as });
		const copy = registry.definitions()[3] as AgentDefinition;
		assert.equal(last("select").key, `agent:${copy.agentId}`);
		person.yes = false;
		await page.handleMessage({ type: "remove", key: as });
		assert.equal(registry.definitions().length, 4);
		person.yes = true;
		await page.handleMessage({ type: "remove", key: as });
		assert.deepEqual(
			registry.definitions().map(({ agentId }) => agentId),
			["default", "main", copy.agentId],
		);
		assert.equal(person.asked.length, 2);
	});

	it("keeps the opt-in plugins that an agent names, and takes them out again", async () => {
		const { page, last, registry } = await desk();
		await page.handleMessage({ type: "save", key: "new:1", draft: { displayName: "Lead", optIn: ["tasks"] } });
		assert.deepEqual(registry.definitions()[2]?.optIn, ["tasks"]);
		await page.handleMessage({ type: "save", key: last("saved").as, draft: { displayName: "Lead" } });
		assert.equal(registry.definitions()[2]?.optIn, undefined);
	});

	it("refuses to keep what is not valid, and names the field", async () => {
		const { page, last, registry } = await desk();
		await page.handleMessage({ type: "save", key: "new:1", draft: { displayName: "", extends: "nobody" } });
		assert.deepEqual(
			last("refused")
				.problems.map(({ field }) => field)
				.sort(),
			["displayName", "extends"],
		);
		assert.equal(registry.definitions().length, 2);
	});

	it("refuses a standing approval that never counts, at its field, before anything is kept", async () => {
		const { page, last, registry } = await desk();
		const draft = { displayName: "A", allowedTools: ["execute_command(npm test)", "execute_command", "nonsense(("] };
		await page.handleMessage({ type: "check", ask: 1, key: "new:1", draft });
		await page.handleMessage({ type: "save", key: "new:1", draft });
		const { problems } = last("refused");
		assert.deepEqual(last("checked").problems, problems);
		assert.deepEqual(
			problems.map(({ field }) => field),
			["allowedTools.1", "allowedTools.2"],
		);
		assert.equal(registry.definitions().length, 2);
	});

	it("leaves a standing approval that never counts where the person wrote it, and goes on saving the rest", async () => {
		const { page, registry, last, put } = await desk();
		const path = put("../storage/global/agents/mine.json", { agentId: "mine", displayName: "Mine", allowedTools: ["execute_command"] });
		await registry.refresh();
		const draft = { displayName: "Mine", description: "x", allowedTools: ["execute_command"] };
		await page.handleMessage({ type: "save", key: "agent:mine", draft });
		assert.equal(last("saved").as, "agent:mine");
		assert.deepEqual(
			registry.definitions().find(({ agentId }) => agentId === "mine"),
			{ agentId: "mine", ...draft },
			path,
		);
	});

	it("keeps standing approvals that are added and takes back those that are taken out, and a list that is cleared stays cleared", async () => {
		const { page, last, registry, detail } = await desk({
			settings: [{ agentId: "base", displayName: "Base", toolDenylist: ["delete_*"], capabilityAllowlist: ["files.*"] }],
		});
		const begin = { displayName: "A", extends: "base", allowedTools: ["update_file"], toolDenylist: null, capabilityAllowlist: null };
		await page.handleMessage({ type: "save", key: "new:1", draft: begin });
		const { as: key } = last("saved");
		const whole = () => registry.definitions().find(({ extends: parent }) => parent === "base");
		const shown = () => {
			const now = detail();
			assert.ok(now.kind === "agent");
			return now.draft;
		};
		assert.deepEqual(shown(), begin);
		assert.deepEqual([whole()?.toolDenylist, whole()?.capabilityAllowlist], [undefined, undefined]);
		const approvals = ["create_file", "execute_command(npm test)"];
		await page.handleMessage({ type: "save", key, draft: { ...begin, description: "x", allowedTools: approvals } });
		assert.deepEqual([shown().toolDenylist, shown().allowedTools], [null, approvals]);
		assert.deepEqual(whole()?.allowedTools, approvals);
		await page.handleMessage({ type: "save", key, draft: { ...begin, toolDenylist: ["web_*"] } });
		assert.deepEqual([whole()?.toolDenylist, whole()?.allowedTools], [["web_*"], ["update_file"]]);
		await page.handleMessage({ type: "save", key, draft: { displayName: "A", extends: "base" } });
		assert.deepEqual(shown(), { displayName: "A", extends: "base", allowedTools: [] });
		assert.deepEqual([whole()?.toolDenylist, whole()?.capabilityAllowlist], [["delete_*"], ["files.*"]]);
	});

	it("lets no standing approval in without the person, whatever the page sends", async () => {
		const { page, last, registry, person } = await desk();
		const draft = { displayName: "A", allowedTools: ["update_file"] };
		person.yes = false;
		await page.handleMessage({ type: "save", key: "new:1", draft });
		assert.deepEqual(last("refused").problems, [{ field: "allowedTools", problem: "Nothing was saved." }]);
		assert.equal(registry.definitions().length, 2);
		person.yes = true;
		await page.handleMessage({ type: "save", key: "new:1", draft });
		const { as: key } = last("saved");
		await page.handleMessage({ type: "save", key, draft: { ...draft, description: "x" } });
		assert.deepEqual(person.asked, ["Allow “A” to use these without approval?", "Allow “A” to use these without approval?"]);
		person.yes = false;
		await page.handleMessage({ type: "save", key, draft: { ...draft, allowedTools: ["update_file", "create_file"] } });
		assert.deepEqual(registry.definitions().at(-1)?.allowedTools, ["update_file"]);
	});

	it("shows a cleared list of an agent that is not edited here as cleared, not as inherited", async () => {
		const { page, detail } = await desk({
			settings: [
				{ agentId: "base", displayName: "Base", toolDenylist: ["delete_*"], skillDenylist: ["notes"] },
				{ agentId: "child", displayName: "Child", extends: "base", toolDenylist: null },
			],
		});
		await page.handleMessage({ type: "choose", key: "agent:child" });
		const shown = detail();
		assert.ok(shown.kind === "agent");
		assert.deepEqual([shown.draft.toolDenylist, shown.draft.skillDenylist], [null, ["notes"]]);
	});

	it("keeps what is not saved while the page is gone, and leads to what a command asked for meanwhile", async () => {
		const { page, last, drafts, updates } = await desk();
		const kept = { "new:1": { draft: { displayName: "Half" }, base: "" } };
		await page.handleMessage({ type: "keep", drafts: kept });
		assert.deepEqual(drafts.kept, kept);
		page.handlePageUnload();
		const before = updates.length;
		page.select("new");
		page.refresh();
		assert.equal(updates.length, before);
		await page.handleMessage({ type: "ready" });
		assert.deepEqual(last("snapshot").drafts, kept);
		assert.equal(last("select").key, "new");
	});

	it("drops what is no Intent, opens what the host knows alone, and says what fails", async () => {
		const { page, notes, updates } = await desk({ settings: [{ agentId: "journal", displayName: "Journal" }] });
		const sent = updates.length;
		for (const message of [
			undefined,
			"save",
			{ type: "save", key: "new:1", draft: { displayName: "A", agentId: "default" } },
			{ type: "save", key: "new:1", draft: { displayName: "A", extra: true } },
			{ type: "command", command: "workbench.action.reloadWindow" },
			{ type: "open", key: "agent:journal", path: "/etc/passwd" },
			{ type: "keep", drafts: { a: { draft: { displayName: "A", systemPrompt: "x".repeat(2_500_000) }, base: "" } } },
			{
				type: "keep",
				drafts: Object.fromEntries(
					["a", "b", "c", "d", "e"].map((name) => [name, { draft: { displayName: "A" }, base: "x".repeat(450_000) }]),
				),
			},
		]) {
			await page.handleMessage(message);
		}
		assert.equal(updates.length, sent);
		assert.equal(notes.filter((note) => /not understood/.test(note)).length, 8);
		await page.handleMessage({ type: "open", key: "agent:journal" });
		await page.handleMessage({ type: "open", key: "/etc/passwd" });
		await page.handleMessage({ type: "command", command: "manageGrants" });
		assert.deepEqual(notes.slice(8), ["open settings", "This agent no longer exists.", "manageGrants"]);
	});

	it("cannot change what is not the person's own, whatever the page says", async () => {
		const { page, last, registry, notes } = await desk({ settings: [{ agentId: "journal", displayName: "Journal" }] });
		for (const key of ["agent:default", "agent:journal"]) {
			await page.handleMessage({ type: "save", key, draft: { displayName: "Taken over" } });
			assert.equal(last("refused").key, key);
			await page.handleMessage({ type: "remove", key });
		}
		assert.equal(notes.length, 2);
		assert.deepEqual(
			registry.definitions().map(({ displayName }) => displayName),
			["General Assistant", "Main Agent", "Journal"],
		);
	});
});
