// The page "Manage Agents": what it shows of a definition of the workspace, and how a person lets it count.
import assert from "node:assert/strict";
import type { AgentsView } from "../../../src/shared/protocol/agents.ts";
import { desk, leave, REVIEWER, reviewer } from "./manageFixture.ts";

describe("the page of agents", () => {
	afterEach(leave);

	it("shows what a definition of the workspace says and could do, and what of it will not count", async () => {
		const { page, detail, waitingKey } = await desk({ files: { [REVIEWER]: reviewer } });
		await page.handleMessage({ type: "choose", key: waitingKey() });
		const shown = detail();
		assert.ok(shown.kind === "waiting");
		assert.equal(JSON.parse(shown.text).agentId, "reviewer");
		assert.deepEqual(shown.scope.groups.find(({ plugin }) => plugin === "files")?.offered, ["read_file"]);
		assert.match(shown.ignored.join(), /allowedTools/);
	});

	it("shows each of several definitions in one file as what it is", async () => {
		const quiet = { agentId: "quiet", displayName: "Quiet", toolAllowlist: [] };
		const { page, detail, last } = await desk({ files: { [REVIEWER]: { agents: [quiet, reviewer] } } });
		const keys = last("snapshot").view.rows.flatMap((row) => (row.kind === "waiting" ? [row.key] : []));
		assert.equal(new Set(keys).size, 2);
		const offered = [];
		for (const key of keys) {
			await page.handleMessage({ type: "choose", key });
			const shown = detail();
			assert.ok(shown.kind === "waiting");
			offered.push(shown.scope.groups.find(({ plugin }) => plugin === "files")?.offered.length);
		}
		assert.deepEqual(offered, [0, 1]);
	});

	it("lets it count only by the page's token, once, for the content that was shown, and not at once", async () => {
		const { page, detail, waitingKey, registry, last, person, put } = await desk({ files: { [REVIEWER]: reviewer } });
		const key = waitingKey();
		const counts = () => registry.definitions().some(({ agentId }) => agentId === "reviewer");
		await page.handleMessage({ type: "choose", key });
		const shown = detail();
		assert.ok(shown.kind === "waiting");
		const { hash } = shown;
		const first = last("snapshot").token;
		const approve = (token: string, given = hash) => page.handleMessage({ type: "approve", key, hash: given, token });
		await approve("guessed");
		person.clock += 1_000;
		await approve(first);
		assert.equal(counts(), false, "a token that was spent approves nothing");
		person.focusedFor = 100;
		await approve(last("token").token);
		person.focusedFor = 10_000;
		await approve(last("token").token, "0".repeat(64));
		assert.equal(counts(), false, "nor one for another content");
		put(REVIEWER, { ...reviewer, toolAllowlist: ["*"] });
		await approve(last("token").token);
		assert.equal(counts(), false, "nor for what the file said before");
		await registry.refresh();
		await page.handleMessage({ type: "choose", key });
		const now = detail();
		assert.ok(now.kind === "waiting" && now.hash !== hash);
		await approve(last("token").token, now.hash);
		assert.equal(counts(), false, "nor in the moment it appears");
		person.clock += 600;
		put(REVIEWER, reviewer);
		await registry.refresh();
		await page.handleMessage({ type: "choose", key });
		await approve(last("token").token);
		assert.equal(counts(), false, "nor in the moment it comes back, though it was shown before");
		put(REVIEWER, { ...reviewer, toolAllowlist: ["*"] });
		await registry.refresh();
		await page.handleMessage({ type: "choose", key });
		person.clock += 600;
		await page.handleMessage({ type: "choose", key });
		await approve(last("token").token, now.hash);
		assert.equal(counts(), true);
		assert.equal(last("select").key, "agent:reviewer");
		await page.handleMessage({ type: "disapprove", key: "agent:reviewer" });
		assert.equal(counts(), false);
	});

	it("shows what has changed since a definition was approved", async () => {
		const { page, detail, waitingKey, registry, put } = await desk({ files: { [REVIEWER]: reviewer } });
		const [{ source, hash }] = registry.catalog().waiting as [ReturnType<typeof registry.catalog>["waiting"][number]];
		await registry.approve(source.path, hash);
		put(REVIEWER, { ...reviewer, toolAllowlist: ["execute_command"] });
		await registry.refresh();
		await page.handleMessage({ type: "choose", key: waitingKey() });
		const shown = detail();
		assert.match((shown.kind === "waiting" && shown.diff) || "", /-\t\t"read_file"\n\+\t\t"execute_command"/);
	});

	it("shows a task type with its text and what its tasks could do, lets it count, and takes the approval back", async () => {
		const path = ".agents/subagents/probe/SUBAGENT.md";
		const text = "---\nname: probe\ndescription: Probes.\npermissions: [ReadFiles]\ntools: [search_*]\n---\nProbe it.\u200b\n";
		const { page, detail, waitingKey, registry, last, person, updates } = await desk({ files: { [path]: text } });
		const rows = () => (updates.findLast((update) => "view" in update) as { view: AgentsView }).view.rows;
		const labels = () => rows().map(({ kind, label, key }) => [kind, label, key]);
		const isType = () => rows().map(({ task }) => task === true);
		const types = () => registry.catalog().tasks.map(({ type }) => type.name);
		const key = waitingKey();
		assert.deepEqual(labels()[2], ["waiting", "Task type “probe”", key]);
		assert.deepEqual(isType(), [false, false, true]);
		await page.handleMessage({ type: "choose", key });
		const shown = detail();
		assert.ok(shown.kind === "waiting");
		assert.deepEqual([shown.text, shown.roles], [text, "Planner"]);
		assert.deepEqual(shown.ignored, ["Invisible characters in the prompt are left out."]);
		assert.deepEqual(shown.scope.groups.find(({ plugin }) => plugin === "files")?.offered, ["search_code", "search_symbol"]);
		person.clock += 1_000;
		await page.handleMessage({ type: "approve", key, hash: shown.hash, token: last("snapshot").token });
		assert.deepEqual(types(), ["general", "explore", "plan", "probe"]);
		assert.deepEqual(labels()[2], ["agent", "Task type “probe”", "task:task-probe"]);
		assert.deepEqual(isType(), [false, false, true]);
		assert.equal(last("select").key, "task:task-probe");
		assert.deepEqual(
			registry.definitions().map(({ agentId }) => agentId),
			["default", "main"],
		);
		await page.handleMessage({ type: "disapprove", key: "task:task-probe" });
		assert.deepEqual(types(), ["general", "explore", "plan"]);
	});
});
