// Tests Allow, Deny and Always Allow through the whole app: the prompt, the stored approval, later calls.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listGrantRows } from "../../../src/session/approvals/grantRows.ts";
import { outside, sourceOf } from "./outsideTool.ts";
import { closeTestSessions, openTestSession, results, type TestSession } from "./testSession.ts";

const run = (command: string) => ({ calls: [{ name: "execute_command", input: { command } }] });
const FILES = { "package.json": '{ "scripts": { "test": "echo tested" } }\n', "a.txt": "one\n" };

const globalOf = ({ app }: TestSession) => join(app.folder, "..", "global");
const preferences = (setup: TestSession) =>
	JSON.parse(readFileSync(join(globalOf(setup), "agents", "_preferences.json"), "utf8")) as { defaultAgentAllowedTools?: string[] };
const asked = ({ session }: TestSession) => session.state.events.filter(({ type }) => type === "asked").length;

describe("an approval that lasts", () => {
	afterEach(closeTestSessions);

	it("stands in the preferences as it was shown, passes the next call, and asks again once it is taken out by hand", async () => {
		const setup = await openTestSession([run("npm test"), { text: "1" }, run("npm test"), { text: "2" }, run("npm test"), { text: "3" }], {
			files: FILES,
			role: "actor",
		});
		const first = setup.session.send("Test");
		const { always } = await setup.event("asked");
		assert.match(String(always), /^Allows npm test in this workspace until its definition (in package\.json )?changes\.$/);
		await setup.answer({ allow: true, always: true });
		await first;
		assert.deepEqual(preferences(setup), { ...preferences(setup), defaultAgentAllowedTools: ["execute_command(npm test)"] });
		await setup.session.send("Again");
		assert.equal(asked(setup), 1);
		writeFileSync(join(globalOf(setup), "agents", "_preferences.json"), "{}");
		const third = setup.session.send("And again");
		await setup.answer({ allow: false });
		await third;
		assert.deepEqual(
			results(setup.session).map(({ status }) => status),
			["ok", "ok", "denied"],
		);
	});

	it("is taken back from the list of grants, whatever window asks", async () => {
		const setup = await openTestSession([run("touch made"), { text: "1" }, run("touch made"), { text: "2" }], {
			files: FILES,
			role: "actor",
		});
		const first = setup.session.send("Make");
		await setup.answer({ allow: true, always: true });
		await first;
		const {
			grants,
			window: { workspace },
		} = setup.app.services;
		const parts = { grants, workspace: () => workspace.identity(), offered: async () => [] };
		for (const { agentId, entry, workspace: place } of await listGrantRows(parts)) await grants.revoke(agentId, entry, place);
		const third = setup.session.send("Again");
		await setup.answer({ allow: false });
		await third;
		assert.equal(results(setup.session).at(-1)?.status, "denied");
	});

	it("on a tool from outside is shown by its name, and ends when the definition changes", async () => {
		const ran: string[] = [];
		let hash = "a".repeat(64);
		const call = { calls: [{ name: "mcp__things__list", input: {} }] };
		const setup = await openTestSession([call, { text: "1" }, call, { text: "2" }, call, { text: "3" }], {
			role: "actor",
			sources: [sourceOf(() => [outside(hash, ran)])],
		});
		const first = setup.session.send("List");
		assert.deepEqual((await setup.event("asked")).always, ["Allows mcp__things__list in this workspace until its definition changes."]);
		await setup.answer({ allow: true, always: true });
		await first;
		await setup.session.send("Again");
		assert.deepEqual([ran.length, asked(setup)], [2, 1]);
		hash = "b".repeat(64);
		const third = setup.session.send("And again");
		await setup.answer({ allow: false });
		await third;
		assert.equal(ran.length, 2);
	});

	it("that cannot be kept is allowed this once, and the person is told", async () => {
		const setup = await openTestSession([run("touch made"), { text: "Done." }], { files: FILES, role: "actor" });
		mkdirSync(join(globalOf(setup), "grants.json"), { recursive: true });
		const turn = setup.session.send("Make");
		await setup.answer({ allow: true, always: true });
		await turn;
		assert.equal(existsSync(join(setup.app.folder, "made")), true);
		const told = setup.session.state.events.flatMap((event) => (event.type === "status" ? event.text : [])).join(" ");
		assert.match(told, /The approval couldn't be saved, so it applies to this call only\. .*Allows touch in this workspace\./);
	});

	it("written by hand lets nothing pass that a card would not offer", async () => {
		const commands = ["node a.txt", "rm a.txt", "npm install", "bash a.txt", "git add . && node a.txt"];
		const script = [...commands.map(run), { calls: [{ name: "delete_file", input: { path: "a.txt" } }] }];
		const setup = await openTestSession(
			(request) => (request.events.at(-1)?.type === "result" ? { text: "Done." } : (script.shift() ?? { text: "Done." })),
			{
				files: FILES,
				role: "actor",
			},
		);
		mkdirSync(join(globalOf(setup), "agents"), { recursive: true });
		const entries = [
			"execute_command",
			"execute_command(*)",
			"execute_command(node)",
			"execute_command(rm)",
			"execute_command(npm install)",
		];
		writeFileSync(
			join(globalOf(setup), "agents", "_preferences.json"),
			JSON.stringify({ defaultAgentAllowedTools: [...entries, "execute_command(bash)", "execute_command(git add)", "delete_file"] }),
		);
		setup.app.sessions.listen({
			event(_, event) {
				if (event.type !== "asked") return;
				setup.clock.ahead += 1_000;
				void setup.session.answer(event.request, { allow: false }, "person", event.hash);
			},
		});
		for (let turn = 0; turn <= commands.length; turn++) await setup.session.send("Go");
		assert.deepEqual(
			results(setup.session).map(({ status }) => status),
			Array.from({ length: commands.length + 1 }, () => "denied"),
		);
		assert.equal(asked(setup), commands.length + 1);
	});

	it("cannot be written by the model itself: every tool that tries asks, and none of it counts", async () => {
		const setup = await openTestSession(
			(request) => (request.events.at(-1)?.type === "result" ? { text: "Done." } : (script.shift() ?? { text: "Done." })),
			{
				files: { ...FILES, "allowed.json": JSON.stringify({ defaultAgentAllowedTools: ["update_file", "execute_command(touch)"] }) },
				role: "actor",
				settings: { approval: "auto" },
			},
		);
		const folder = join(globalOf(setup), "agents");
		mkdirSync(folder, { recursive: true });
		symlinkSync(globalOf(setup), join(setup.app.folder, "link"));
		const [kept, mine] = [join(folder, "_preferences.json"), join(folder, "mine.json")];
		writeFileSync(kept, '{"lastUsedAgentId":"default"}');
		writeFileSync(mine, '{"agentId":"mine","allowedTools":[]}');
		const text = '{"defaultAgentAllowedTools":["execute_command(touch)"]}';
		const tries: { name: string; input: unknown }[] = [];
		for (const path of [
			kept,
			mine,
			join(folder, "new.json"),
			join(globalOf(setup), "grants.json"),
			"../global/agents/_preferences.json",
			"link/agents/mine.json",
		]) {
			tries.push({ name: "create_file", input: { path, content: text } });
			tries.push({ name: "update_file", input: { path, old: "{", new: `${text.slice(0, -1)},` } });
			tries.push({ name: "rename_file", input: { from: "allowed.json", to: path } });
			tries.push({ name: "rename_file", input: { from: path, to: "taken.json" } });
			tries.push({ name: "delete_file", input: { path } });
			tries.push({ name: "apply_patch", input: { patch: `*** Begin Patch\n*** Add File: ${path}\n+${text}\n*** End Patch` } });
			for (const command of [
				`cp allowed.json ${path}`,
				`mv allowed.json ${path}`,
				`echo '${text}' > ${path}`,
				`tee ${path}`,
				`cd ${folder} && touch x`,
			]) {
				tries.push({ name: "execute_command", input: { command } });
			}
		}
		const script = tries.map((call) => ({ calls: [call] }));
		setup.app.sessions.listen({
			event(_, event) {
				if (event.type !== "asked") return;
				assert.equal(event.always, undefined);
				setup.clock.ahead += 1_000;
				void setup.session.answer(event.request, { allow: false }, "person", event.hash);
			},
		});
		for (const _ of tries) await setup.session.send("Go");
		const done = [...setup.session.state.calls.values()].filter(({ result }) => result?.status === "ok");
		assert.deepEqual(
			done.map(({ call }) => call),
			[],
		);
		assert.equal(readFileSync(kept, "utf8").includes("AllowedTools"), false);
		assert.equal(readFileSync(mine, "utf8"), '{"agentId":"mine","allowedTools":[]}');
		assert.deepEqual([existsSync(join(folder, "new.json")), existsSync(join(globalOf(setup), "grants.json"))], [false, false]);
		assert.deepEqual(await setup.app.services.grants.list("default"), []);
	});

	it("is not asked for, and no argument explained, of a tool that the agent does not have", async () => {
		const setup = await openTestSession(
			[{ calls: [{ name: "update_file", input: {} }], raw: [{ name: "execute_command", arguments: "{" }] }, { text: "Well." }],
			{ role: "actor", agents: [{ agentId: "reader", displayName: "Reader", toolAllowlist: ["read_*"] }] },
		);
		await setup.session.setAgent("reader");
		await setup.session.send("Change it");
		for (const { status, output } of results(setup.session)) {
			assert.equal(status, "denied");
			assert.match(output, /is not offered here/);
		}
		assert.equal(asked(setup), 0);
	});

	it("belongs to one agent: another one that the session turns to asks for itself", async () => {
		const setup = await openTestSession([run("touch made"), { text: "1" }, run("touch made"), { text: "2" }], {
			files: FILES,
			role: "actor",
			agents: [{ agentId: "second", displayName: "Second" }],
		});
		const first = setup.session.send("Make");
		await setup.answer({ allow: true, always: true });
		await first;
		await setup.session.setAgent("second");
		const next = setup.session.send("Again");
		await setup.answer({ allow: false });
		await next;
		assert.deepEqual(
			results(setup.session).map(({ status }) => status),
			["ok", "denied"],
		);
	});
});
