// The page "Manage Agents" over the real registry and the real gate: what it shows, keeps and approves, and what it drops.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtinRoles } from "../../../src/agents/roles.ts";
import type { AgentsUpdate, Detail, KeptDrafts } from "../../../src/agentsProtocol.ts";
import { createGrants } from "../../../src/app/grants.ts";
import { createManagePage, type ManageHost, type ManagePage } from "../../../src/app/manageAgents.ts";
import type { McpServerStatus } from "../../../src/core/mcp.ts";
import type { AgentDefinition } from "../../../src/core/permissions.ts";
import { diskRegistry } from "../../../src/engine/diskRegistry.ts";
import { createGrantLists } from "../../../src/storage/grantLists.ts";
import { createGrantStore } from "../../../src/storage/grants.ts";
import { buildHouse, type House } from "../../fakes/house.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";

interface Desk {
	page: ManagePage;
	house: House;
	updates: AgentsUpdate[];
	notes: string[];
	/** What the person says to a question, and how it was put. */
	person: { yes: boolean; asked: string[]; clock: number; focusedFor: number };
	drafts: { kept: KeptDrafts };
	registry: Awaited<ReturnType<typeof diskRegistry>>;
	put(path: string, content: unknown): string;
	last<T extends AgentsUpdate["type"]>(type: T): Extract<AgentsUpdate, { type: T }>;
	detail(): Detail;
	/** Of the first definition that waits. */
	waitingKey(): string;
}

const houses: House[] = [];

async function desk({ settings = [], files = {}, servers = [], grants = [], pluginsOff = [] }: DeskOptions = {}): Promise<Desk> {
	const house = await buildHouse({ model: scriptedModel([]), files: { "README.md": "# Shop\n" }, settings: { pluginsOff } });
	houses.push(house);
	const put = (path: string, content: unknown): string => {
		const whole = join(house.folder, path);
		mkdirSync(dirname(whole), { recursive: true });
		writeFileSync(whole, JSON.stringify(content, undefined, "\t"));
		return whole;
	};
	for (const [path, content] of Object.entries(files)) put(path, content);
	const registry = await diskRegistry({
		shared: join(house.storage, "global"),
		settings: () => ({ agents: settings, roles: builtinRoles }),
		folders: () => [house.folder],
		trusted: () => true,
		placeOf: (path) => path.slice(house.folder.length + 1),
		log: (line) => assert.fail(line),
	});
	const updates: AgentsUpdate[] = [];
	const notes: string[] = [];
	const person = { yes: true, asked: [] as string[], clock: 10_000, focusedFor: 10_000 };
	const drafts = { kept: {} as KeptDrafts };
	const host: ManageHost = {
		post: (update) => updates.push(structuredClone(update)),
		focusedFor: async () => person.focusedFor,
		notify: (_, text) => notes.push(text),
		async confirm(question) {
			person.asked.push(question);
			return person.yes;
		},
		models: async () => ({ auto: "Scripted", groups: [{ label: "House", models: [{ id: "scripted/one", name: "Scripted" }] }] }),
		servers: () => servers,
		grants: async () => grants,
		open: async (source) => void notes.push(`open ${source.kind}`),
		command: (command) => notes.push(command),
		shown: (path) => path.slice(house.folder.length + 1),
		drafts: {
			get: () => drafts.kept,
			set(kept) {
				drafts.kept = kept;
			},
		},
		now: () => person.clock,
	};
	const services = {
		...house.services,
		registry,
		grants: createGrants({
			...house.services,
			registry,
			records: createGrantStore(join(house.storage, "global")),
			lists: createGrantLists(join(house.storage, "global", "agents")),
			now: () => new Date(0),
			log: (line) => assert.fail(line),
		}),
		agents: () => registry.definitions(),
		log: (line: string) => void notes.push(line),
	};
	const page = createManagePage(services, host);
	const last: Desk["last"] = (type) => {
		const found = updates.findLast((update) => update.type === type);
		assert.ok(found, `no ${type} was sent`);
		return found as never;
	};
	await page.receive({ type: "ready" });
	return {
		page,
		house,
		updates,
		notes,
		person,
		drafts,
		registry,
		put,
		last,
		detail: () => last("detail").detail,
		waitingKey: () => {
			const [first] = registry.catalog().waiting;
			return `waiting:${first?.definition.agentId}:${first?.source.path}`;
		},
	};
}

interface DeskOptions {
	settings?: unknown[];
	/** Of the workspace. */
	files?: Record<string, unknown>;
	servers?: McpServerStatus[];
	grants?: { agentId: string }[];
	pluginsOff?: string[];
}

const reviewer = { agentId: "reviewer", displayName: "Reviewer", toolAllowlist: ["read_file"], allowedTools: ["update_file"] };
const REVIEWER = ".troupe/agents/reviewer.json";

function server(id: string, tools: string[], over: Partial<McpServerStatus["config"]> = {}): McpServerStatus {
	return {
		config: { id, name: `The ${id}`, source: "settings", command: "node", ...over } as McpServerStatus["config"],
		state: "ready",
		sessions: 0,
		tools: tools.map((tool) => ({
			name: `mcp__${id}__${tool}`,
			tool,
			description: "",
			hash: "h",
			readOnly: false,
			claims: [],
			changed: false,
		})),
		refused: [],
	};
}

describe("the page of agents", () => {
	afterEach(async () => {
		for (const house of houses.splice(0)) await house.close();
	});

	it("lists the default agent first, then by source, with what is broken and what waits among them", async () => {
		const { last, registry, page } = await desk({
			settings: [{ agentId: "journal", displayName: "Journal", uiVisible: false }, { agentId: "no good" }],
			files: { [REVIEWER]: reviewer },
			grants: [{ agentId: "journal" }],
		});
		const made = await registry.create({ displayName: "Mine" });
		await page.receive({ type: "ready" });
		assert.deepEqual(
			last("snapshot").view.rows.map((row) => [
				row.kind,
				row.label,
				row.origin,
				row.kind === "agent" ? [row.hidden, row.editable, row.grants] : [],
			]),
			[
				["agent", "General Assistant", "builtin", [false, false, 0]],
				["agent", "Journal", "settings", [true, false, 1]],
				["broken", "no good", "settings", []],
				["agent", "Mine", "own", [false, true, 0]],
				["waiting", "reviewer", "workspace", []],
			],
		);
		assert.equal(last("snapshot").view.rows[3]?.key, `agent:${made.agentId}`);
		assert.deepEqual(
			last("view").view.models?.map(({ label }) => label),
			["House"],
		);
	});

	it("makes an agent of a name alone, changes it, copies it, and deletes it once the person says so", async () => {
		const { page, last, registry, person, detail } = await desk();
		await page.receive({ type: "save", key: "new:1", draft: { displayName: "Release notes" } });
		const { key, as } = last("saved");
		assert.equal(key, "new:1");
		await page.receive({ type: "save", key: as, draft: { displayName: "Release notes", color: "charts.blue" } });
		assert.equal(registry.definitions()[1]?.color, "charts.blue");
		assert.deepEqual(detail().kind === "agent" && detail(), { ...detail(), draft: { displayName: "Release notes", color: "charts.blue" } });
		await page.receive({ type: "duplicate", key: as });
		const [, , copy] = registry.definitions() as [AgentDefinition, AgentDefinition, AgentDefinition];
		assert.equal(last("select").key, `agent:${copy.agentId}`);
		person.yes = false;
		await page.receive({ type: "remove", key: as });
		assert.equal(registry.definitions().length, 3);
		person.yes = true;
		await page.receive({ type: "remove", key: as });
		assert.deepEqual(
			registry.definitions().map(({ agentId }) => agentId),
			["default", copy.agentId],
		);
		assert.equal(person.asked.length, 2);
	});

	it("refuses to keep what is not valid, and names the field", async () => {
		const { page, last, registry } = await desk();
		await page.receive({ type: "save", key: "new:1", draft: { displayName: "", extends: "nobody" } });
		assert.deepEqual(
			last("refused")
				.problems.map(({ field }) => field)
				.sort(),
			["displayName", "extends"],
		);
		assert.equal(registry.definitions().length, 1);
	});

	it("refuses a standing approval that never counts, at its field, before anything is kept", async () => {
		const { page, last, registry } = await desk();
		const draft = { displayName: "A", allowedTools: ["execute_command(npm test)", "execute_command", "nonsense(("] };
		await page.receive({ type: "check", ask: 1, key: "new:1", draft });
		await page.receive({ type: "save", key: "new:1", draft });
		const { problems } = last("refused");
		assert.deepEqual(last("checked").problems, problems);
		assert.deepEqual(
			problems.map(({ field }) => field),
			["allowedTools.1", "allowedTools.2"],
		);
		assert.match(problems[0]?.problem ?? "", /^Commands are never allowed all at once/);
		assert.match(problems[1]?.problem ?? "", /written as tool or tool\(class\)/);
		assert.equal(registry.definitions().length, 1);
	});

	it("leaves a standing approval that never counts where the person wrote it, and goes on saving the rest", async () => {
		const { page, registry, last, put } = await desk();
		const path = put("../storage/global/agents/mine.json", { agentId: "mine", displayName: "Mine", allowedTools: ["execute_command"] });
		await registry.refresh();
		const draft = { displayName: "Mine", description: "x", allowedTools: ["execute_command"] };
		await page.receive({ type: "save", key: "agent:mine", draft });
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
		await page.receive({ type: "save", key: "new:1", draft: begin });
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
		await page.receive({ type: "save", key, draft: { ...begin, description: "x", allowedTools: approvals } });
		assert.deepEqual([shown().toolDenylist, shown().allowedTools], [null, approvals]);
		assert.deepEqual(whole()?.allowedTools, approvals);
		await page.receive({ type: "save", key, draft: { ...begin, toolDenylist: ["web_*"] } });
		assert.deepEqual([whole()?.toolDenylist, whole()?.allowedTools], [["web_*"], ["update_file"]]);
		await page.receive({ type: "save", key, draft: { displayName: "A", extends: "base" } });
		assert.deepEqual(shown(), { displayName: "A", extends: "base", allowedTools: [] });
		assert.deepEqual([whole()?.toolDenylist, whole()?.capabilityAllowlist], [["delete_*"], ["files.*"]]);
	});

	it("lets no standing approval in without the person, whatever the page sends", async () => {
		const { page, last, registry, person } = await desk();
		const draft = { displayName: "A", allowedTools: ["update_file"] };
		person.yes = false;
		await page.receive({ type: "save", key: "new:1", draft });
		assert.deepEqual(last("refused").problems, [{ field: "allowedTools", problem: "Nothing was saved." }]);
		assert.equal(registry.definitions().length, 1);
		person.yes = true;
		await page.receive({ type: "save", key: "new:1", draft });
		const { as: key } = last("saved");
		await page.receive({ type: "save", key, draft: { ...draft, description: "x" } });
		assert.deepEqual(person.asked, ["Let “A” use these without asking?", "Let “A” use these without asking?"]);
		person.yes = false;
		await page.receive({ type: "save", key, draft: { ...draft, allowedTools: ["update_file", "create_file"] } });
		assert.deepEqual(registry.definitions().at(-1)?.allowedTools, ["update_file"]);
	});

	it("shows a cleared list of an agent that is not edited here as cleared, not as inherited", async () => {
		const { page, detail } = await desk({
			settings: [
				{ agentId: "base", displayName: "Base", toolDenylist: ["delete_*"], skillDenylist: ["notes"] },
				{ agentId: "child", displayName: "Child", extends: "base", toolDenylist: null },
			],
		});
		await page.receive({ type: "choose", key: "agent:child" });
		const shown = detail();
		assert.ok(shown.kind === "agent");
		assert.deepEqual([shown.draft.toolDenylist, shown.draft.skillDenylist], [null, ["notes"]]);
	});

	it("says while one types which tools result and which list cuts each of the others, as the gate decides", async () => {
		const { page, last, house } = await desk();
		const draft = {
			displayName: "Docs",
			toolAllowlist: ["*_file", "search_code"],
			toolDenylist: ["delete_*"],
			capabilityDenylist: ["files.write"],
		};
		await page.receive({ type: "check", ask: 7, key: "new:1", draft });
		const { ask, scope, problems } = last("checked");
		assert.deepEqual([ask, problems], [7, []]);
		const agent = { ...draft, agentId: "new" };
		const [actor] = builtinRoles.filter(({ id }) => id === "actor");
		assert.ok(actor);
		const offered = house.services.tools.filter((tool) => house.services.gate.offers({ agent, role: actor, tool })).map(({ name }) => name);
		assert.deepEqual(scope.groups.flatMap((group) => group.offered).sort(), offered.sort());
		assert.equal(scope.offered, offered.length);
		assert.equal(scope.total, house.services.tools.length);
		const files = scope.groups.find(({ plugin }) => plugin === "files");
		assert.deepEqual(files?.offered, ["read_file", "search_code", "create_file"]);
		const cut = files?.cut.map(({ list, pattern, tools }) => [list, pattern, tools]);
		assert.ok(cut?.some(([list, pattern, tools]) => list === "toolDenylist" && pattern === "delete_*" && String(tools) === "delete_file"));
		assert.ok(cut?.some(([list, , tools]) => list === "toolAllowlist" && String(tools).includes("apply_patch")));
		assert.ok(
			cut?.some(
				([list, pattern, tools]) => list === "capabilityDenylist" && pattern === "files.write" && String(tools).includes("update_file"),
			),
		);
	});

	it("counts an agent's tools with what it inherits, and in each of its roles", async () => {
		const { page, last, house } = await desk({
			settings: [{ agentId: "base", displayName: "Base", toolAllowlist: ["read_file", "update_file"], roles: ["planner", "actor"] }],
		});
		await page.receive({ type: "check", ask: 1, key: "new:1", draft: { displayName: "Child", extends: "base", toolDenylist: ["none"] } });
		const { scope } = last("checked");
		assert.deepEqual(scope.groups.find(({ plugin }) => plugin === "files")?.offered, ["read_file", "update_file"]);
		const agent = { agentId: "new", displayName: "Child", toolAllowlist: ["read_file", "update_file"] };
		const offeredAs = (id: string) => {
			const role = builtinRoles.find((candidate) => candidate.id === id);
			assert.ok(role);
			return house.services.tools.filter((tool) => (tool.suits?.(role) ?? true) && house.services.gate.offers({ agent, role, tool }))
				.length;
		};
		assert.deepEqual(
			scope.roles.map(({ id, tools }) => [id, tools]),
			[
				["planner", offeredAs("planner")],
				["actor", offeredAs("actor")],
			],
		);
	});

	it("knows no tools of a plugin that is switched off", async () => {
		const { page, last } = await desk({ pluginsOff: ["web"] });
		await page.receive({ type: "check", ask: 1, key: "new:1", draft: { displayName: "A", toolAllowlist: ["web_*", "read_file"] } });
		const { scope } = last("checked");
		assert.deepEqual([scope.groups.some(({ plugin }) => plugin === "web"), scope.idle], [false, ["web_*"]]);
	});

	it("names patterns that match no tool, but not those of a server that has not run", async () => {
		const { page, last } = await desk({ servers: [server("notes", ["read"]), server("cold", [])] });
		const draft = {
			displayName: "A",
			mcpServers: ["notes", "cold"],
			toolAllowlist: ["read_*", "raed_file", "present_plna", "mcp__notes__*", "mcp__cold__peek"],
			toolDenylist: ["", "delete_flie"],
		};
		await page.receive({ type: "check", ask: 1, key: "new:1", draft });
		assert.deepEqual(last("checked").scope.idle, ["raed_file", "present_plna", "delete_flie"]);
		const long = { displayName: "A", toolDenylist: Array.from({ length: 60 }, (_, index) => `none_${index}`) };
		await page.receive({ type: "check", ask: 2, key: "new:1", draft: long });
		assert.equal(last("checked").scope.idle.length, 40, "of a long list the first ones are looked at");
	});

	it("shows the tools of the servers an agent lists, and says when its lists shut all of them out", async () => {
		const { page, last } = await desk({ servers: [server("notes", ["read", "write"]), server("other", ["x"]), server("cold", [])] });
		const check = async (toolAllowlist: string[]) => {
			await page.receive({
				type: "check",
				ask: 1,
				key: "new:1",
				draft: { displayName: "A", mcpServers: ["notes", "cold"], toolAllowlist },
			});
			return last("checked").scope;
		};
		const shut = await check(["read_file"]);
		assert.deepEqual(shut.shut, [
			{ name: "The notes", pattern: "mcp__notes__*" },
			{ name: "The cold", pattern: "mcp__cold__*" },
		]);
		assert.deepEqual(shut.unknown, ["The cold"]);
		const open = await check(["read_file", "mcp__notes__*", "mcp__cold__peek"]);
		assert.deepEqual(open.shut, []);
		assert.deepEqual(open.groups.find(({ label }) => label === "The notes")?.offered, ["mcp__notes__read", "mcp__notes__write"]);
		assert.ok(!open.groups.some(({ label }) => label === "The other"));
	});

	it("shows what a definition of the workspace says and could do, and what of it will not count", async () => {
		const { page, detail, waitingKey } = await desk({ files: { [REVIEWER]: reviewer } });
		await page.receive({ type: "choose", key: waitingKey() });
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
			await page.receive({ type: "choose", key });
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
		await page.receive({ type: "choose", key });
		const shown = detail();
		assert.ok(shown.kind === "waiting");
		const { hash } = shown;
		const first = last("snapshot").token;
		const approve = (token: string, given = hash) => page.receive({ type: "approve", key, hash: given, token });
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
		await page.receive({ type: "choose", key });
		const now = detail();
		assert.ok(now.kind === "waiting" && now.hash !== hash);
		await approve(last("token").token, now.hash);
		assert.equal(counts(), false, "nor in the moment it appears");
		person.clock += 600;
		put(REVIEWER, reviewer);
		await registry.refresh();
		await page.receive({ type: "choose", key });
		await approve(last("token").token);
		assert.equal(counts(), false, "nor in the moment it comes back, though it was shown before");
		put(REVIEWER, { ...reviewer, toolAllowlist: ["*"] });
		await registry.refresh();
		await page.receive({ type: "choose", key });
		person.clock += 600;
		await page.receive({ type: "choose", key });
		await approve(last("token").token, now.hash);
		assert.equal(counts(), true);
		assert.equal(last("select").key, "agent:reviewer");
		await page.receive({ type: "disapprove", key: "agent:reviewer" });
		assert.equal(counts(), false);
	});

	it("shows what has changed since a definition was approved", async () => {
		const { page, detail, waitingKey, registry, put } = await desk({ files: { [REVIEWER]: reviewer } });
		const [{ source, hash }] = registry.catalog().waiting as [ReturnType<typeof registry.catalog>["waiting"][number]];
		await registry.approve(source.path, hash);
		put(REVIEWER, { ...reviewer, toolAllowlist: ["execute_command"] });
		await registry.refresh();
		await page.receive({ type: "choose", key: waitingKey() });
		const shown = detail();
		assert.match((shown.kind === "waiting" && shown.diff) || "", /-\t\t"read_file"\n\+\t\t"execute_command"/);
	});

	it("keeps what is not saved while the page is gone, and leads to what a command asked for meanwhile", async () => {
		const { page, last, drafts, updates } = await desk();
		const kept = { "new:1": { draft: { displayName: "Half" }, base: "" } };
		await page.receive({ type: "keep", drafts: kept });
		assert.deepEqual(drafts.kept, kept);
		page.pageGone();
		const before = updates.length;
		page.select("new");
		page.refresh();
		assert.equal(updates.length, before);
		await page.receive({ type: "ready" });
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
			await page.receive(message);
		}
		assert.equal(updates.length, sent);
		assert.equal(notes.filter((note) => /not understood/.test(note)).length, 8);
		await page.receive({ type: "open", key: "agent:journal" });
		await page.receive({ type: "open", key: "/etc/passwd" });
		await page.receive({ type: "command", command: "manageGrants" });
		assert.deepEqual(notes.slice(8), ["open settings", "This agent is not there any more.", "manageGrants"]);
	});

	it("cannot change what is not the person's own, whatever the page says", async () => {
		const { page, last, registry, notes } = await desk({ settings: [{ agentId: "journal", displayName: "Journal" }] });
		for (const key of ["agent:default", "agent:journal"]) {
			await page.receive({ type: "save", key, draft: { displayName: "Taken over" } });
			assert.equal(last("refused").key, key);
			await page.receive({ type: "remove", key });
		}
		assert.equal(notes.length, 2);
		assert.deepEqual(
			registry.definitions().map(({ displayName }) => displayName),
			["General Assistant", "Journal"],
		);
	});
});
