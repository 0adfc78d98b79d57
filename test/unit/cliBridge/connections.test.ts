// The connection between commands and tools under attack: who may call, for how long, and what is seen of it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import * as z from "zod";
import { listenOnSocket } from "../../../src/cliBridge/listener.ts";
import { defineTool } from "../../../src/core/ports/tool.ts";
import { closeTestSessions, PLAN } from "../session/testSession.ts";
import { command, shell, shellAgent, speak, speakRaw, transcript, uses, watchConnections } from "./testShell.ts";

afterEach(closeTestSessions);

const LIST = { plugin: "box", tool: "box_list", input: {} };

/** A session in whose command a call waits: what the command was given, and how it all ends. */
async function inCommand(options: Parameters<typeof shell>[1] = {}, more: Record<string, unknown> = {}) {
	const play = await shell([command("$CLI wait", more)], options);
	const opened = watchConnections(play.app);
	const turn = play.session.send("Go");
	await play.box.waits;
	const env = opened[0]?.env ?? {};
	const end = async () => {
		play.box.letGo();
		await turn;
	};
	return { ...play, env, turn, end };
}

describe("the CLI bridge", () => {
	it("is open to the command alone, and closes behind it", async () => {
		const { env, end, app } = await inCommand();
		assert.ok(app.skills.cliBridge.listens());
		assert.deepEqual(await speak(env, LIST), { status: "ok", output: "" });
		await end();
		assert.ok(!app.skills.cliBridge.listens());
		await assert.rejects(speak(env, LIST), /ENOENT|ECONNREFUSED/);
	});

	it("has its socket in a folder that no other user can open", async () => {
		const { env, end } = await inCommand();
		const socket = env["TROUPE_SOCKET"] ?? "";
		assert.equal(statSync(dirname(socket)).mode & 0o777, 0o700);
		assert.equal(statSync(socket).mode & 0o777, 0o600);
		await end();
		assert.throws(() => statSync(dirname(socket)), /ENOENT/);
	});

	it("refuses a caller without a token, with a wrong one, or with one of another session, and logs no token", async () => {
		const first = await inCommand();
		const second = await inCommand();
		const otherSession = (await first.app.sessions.create({ agentId: "sheller", role: "actor" })).sessionId;
		for (const wrong of [{ token: "" }, { token: "0".repeat(64) }, { token: `${first.env["TROUPE_TOKEN"]}0` }, { session: otherSession }]) {
			const said = await speak(first.env, { ...LIST, ...wrong });
			assert.equal(said.status, "denied");
		}
		assert.equal((await speak(first.env, { ...LIST, token: second.env["TROUPE_TOKEN"] })).status, "denied");
		assert.equal((await speak({ ...second.env, TROUPE_SOCKET: first.env["TROUPE_SOCKET"] ?? "" }, LIST)).status, "denied");
		await first.end();
		await second.end();
		assert.equal(first.app.logged.filter((line) => line.includes("was refused")).length, 6);
		assert.ok(!first.app.logged.join().includes(first.env["TROUPE_TOKEN"] ?? "-"));
	});

	it("knows a token no more once its command has ended, also while another one listens", async () => {
		const { session, app, box } = await shell(["$CLI list", command("$CLI wait")]);
		const opened = watchConnections(app);
		const turn = session.send("Go");
		await box.waits;
		const [over, now] = opened;
		assert.ok(over && now);
		assert.equal((await speak({ ...now.env, TROUPE_TOKEN: over.env["TROUPE_TOKEN"] ?? "" }, LIST)).status, "denied");
		assert.equal((await speak(now.env, LIST)).status, "ok");
		box.letGo();
		await turn;
	});

	it("keeps to the agent's lists and to the gate, no matter which program calls", async () => {
		const { env, end, box, app } = await inCommand({ agents: [shellAgent({ capabilityDenylist: ["box.write"] })] });
		const put = { plugin: "box", tool: "box_put", input: { title: "a", content: "b" } };
		assert.match((await speak(env, put)).output, /isn't configured to use box_put/);
		assert.match((await speak(env, { ...put, tool: "box_none" })).output, /no tool box_none/);
		assert.match(
			(await speak(env, { ...put, plugin: "files", tool: "read_file", input: { path: "a" } })).output,
			/not reached by this program/,
		);
		assert.match(
			(await speak(env, { ...put, plugin: "terminal", tool: "execute_command", input: { command: "id" } })).output,
			/not reached/,
		);
		assert.match((await speak(env, { ...LIST, plugin: "notes" })).output, /not reached by this program/);
		assert.match((await speak(env, { ...LIST, input: { limit: "x" } })).output, /do not fit box_list/);
		assert.match((await speak(env, { ...LIST, input: "x" })).output, /not one of Troupe's programs/);
		assert.deepEqual(box.calls, []);
		await end();
		assert.ok(app.skills.cliBridge);
	});

	it("takes no more than eight calls of a command at a time", async () => {
		const { env, end, box } = await inCommand();
		const waiting = Array.from({ length: 7 }, () => speak(env, { ...LIST, tool: "box_wait" }));
		const said = await speakUntil(env, ({ status }) => status === "error");
		assert.match(said.output, /More than 8 calls/);
		// Before the command ends: with it, its calls would.
		box.letOthersGo();
		for (const call of waiting) assert.equal((await call).status, "ok");
		await end();
	});

	it("leaves in the transcript what its tools say of the session", async () => {
		const { env, end, box, types } = await inCommand();
		const planning = defineTool({
			name: "box_plan",
			plugin: "box",
			description: "Plan what goes into the box.",
			permissions: [],
			capabilities: ["box.read"],
			input: z.object({}),
			summary: () => "Plan",
			run: async () => ({ output: "planned", events: [{ type: "plan", plan: PLAN }] }),
		});
		const own = box.tools;
		box.tools = (...of) => [...own(...of), planning];
		assert.equal((await speak(env, { ...LIST, tool: "box_plan" })).status, "ok");
		assert.ok(types().includes("plan"), types().join());
		await end();
	});

	it("takes no more than a thousand calls of a command in all", async () => {
		const { env, end, box } = await inCommand();
		let left = 999;
		const caller = async (): Promise<void> => {
			while (left-- > 0) assert.equal((await speak(env, LIST)).status, "ok");
		};
		await Promise.all(Array.from({ length: 6 }, caller));
		assert.deepEqual(await speak(env, LIST), { status: "denied", output: "Refused: a command makes at most 1000 calls." });
		assert.equal(box.calls.length, 999);
		await end();
	});

	it("ends a call with the command that made it, and the question it had put", async () => {
		const { session, event, app, outputs } = await shell([command("$CLI send --to moon")]);
		const turn = session.send("Go");
		const asked = await event("asked");
		await session.cancel();
		await turn;
		assert.equal((await event("expired")).request, asked.request);
		assert.match(outputs()[0]?.output ?? "", /cancelled/);
		assert.ok(!app.skills.cliBridge.listens());
	});

	it("takes a question back whose program is gone, while the command goes on", async () => {
		const { env, end, event, box } = await inCommand();
		const gone = connect(env["TROUPE_SOCKET"] ?? "");
		const [session, token] = [env["TROUPE_SESSION"], env["TROUPE_TOKEN"]];
		gone.write(`${JSON.stringify({ session, token, plugin: "box", tool: "box_send", input: { to: "moon" } })}\n`);
		const asked = await event("asked");
		gone.destroy();
		assert.equal((await event("expired")).request, asked.request);
		assert.equal((await speak(env, LIST)).status, "ok");
		await end();
		assert.deepEqual(box.calls, [{}]);
	});

	it("lets a command in the background go on after its turn, in the same role and without questions", async () => {
		const { session, env, box } = await inBackground();
		assert.equal((await speak(env, LIST)).status, "ok");
		const send = await speak(env, { plugin: "box", tool: "box_send", input: { to: "moon" } });
		assert.equal(send.status, "denied");
		assert.deepEqual(box.calls, [{}]);
		assert.deepEqual(uses(session), ["box_list ok", "box_send denied"]);
	});

	it("closes for a command in the background when the session loses its role or its agent", async () => {
		const role = await inBackground();
		await role.session.setRole("planner");
		await assert.rejects(speak(role.env, LIST).then(({ status }) => assert.equal(status, "ok")));
		const agent = await inBackground();
		await agent.session.setAgent("default");
		assert.match((await speak(agent.env, LIST)).output, /has moved on/);
		await agent.session.close();
		await assert.rejects(speak(agent.env, LIST).then(({ status }) => assert.equal(status, "ok")));
	});

	it("closes for a command in the background when its agent's definition is another", async () => {
		const agents = [shellAgent()];
		const { env, box } = await inBackground({ agents });
		agents.splice(0, 1, shellAgent({ systemPrompt: "You are somebody else." }));
		const said = await speak(env, LIST);
		assert.equal(said.status, "denied");
		assert.match(said.output, /definition has changed/);
		assert.deepEqual(box.calls, []);
	});

	it("knows no token of a session that is forgotten, and goes on for others", async () => {
		const { env, end, app, box, sessionId } = await inCommand().then((play) => ({ ...play, ...play.session }));
		const { cliBridge } = app.skills;
		const other = await inCommand();
		cliBridge.forget(sessionId);
		await assert.rejects(speak(env, LIST));
		await end();
		assert.equal((await speak(other.env, LIST)).status, "ok");
		assert.deepEqual(box.calls, []);
		await other.end();
	});

	it("opens for no command once it is gone itself", async () => {
		const { session, app, box } = await shell([command("$CLI wait"), command("$CLI list")]);
		const opened = watchConnections(app);
		const turn = session.send("Go");
		await box.waits;
		await app.skills.cliBridge.dispose();
		await assert.rejects(speak(opened[0]?.env ?? {}, LIST));
		box.letGo();
		await turn;
		assert.deepEqual([opened.length, box.calls], [1, []]);
	});

	it("keeps the token out of prompt, transcript, log and the command's own output", async () => {
		const { session, app, model } = await shell(
			[command("mkdir -p made; printenv TROUPE_TOKEN; printenv TROUPE_TOKEN | fold -w 7 | tr -d '\\n'; printenv TROUPE_SESSION")],
			{
				settings: { rules: { deny: [], ask: [], allow: ["execute_command"] }, approval: "auto" },
			},
		);
		const opened = watchConnections(app);
		await session.send("Go");
		const token = opened[0]?.env["TROUPE_TOKEN"] ?? "";
		assert.equal(token.length, 64);
		const output = session.state.events.find((event) => event.type === "result")?.output ?? "";
		assert.match(output, /\[hidden\]\n\[hidden\]/);
		const kept = [transcript(app, session.sessionId), JSON.stringify(model.requests), app.logged.join()];
		const spilled = readdirSync(join(app.storage, "output"), { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
		for (const text of [...kept, ...spilled]) assert.ok(!text.includes(token));
	});

	it("gives nothing to commands of agents that use tools as tools", async () => {
		const { session, app, outputs } = await shell([command("mkdir -p made; printenv TROUPE_TOKEN")], {
			agents: [shellAgent({ toolExposure: "tools" })],
			settings: { rules: { deny: [], ask: [], allow: ["execute_command"] } },
		});
		const opened = watchConnections(app);
		await session.send("Go");
		assert.match(outputs()[0]?.output ?? "", /exit code: 1/);
		assert.deepEqual(opened, []);
		assert.ok(!app.skills.cliBridge.listens());
	});
});

/** A command in the background whose turn has ended. */
async function inBackground(options: Parameters<typeof shell>[1] = {}) {
	const play = await shell([command("mkdir -p made && sleep 600", { background: true })], {
		...options,
		settings: { rules: { deny: [], ask: [], allow: ["execute_command"] } },
	});
	const opened = watchConnections(play.app);
	await play.session.send("Go");
	const env = opened[0]?.env ?? {};
	return { ...play, env };
}

/** Speaks until an answer fits: calls of before may not have come in yet. */
async function speakUntil(env: Readonly<Record<string, string>>, fits: (said: { status: string; output: string }) => boolean) {
	for (;;) {
		const said = await speak(env, LIST);
		if (fits(said)) return said;
	}
}

describe("the socket", () => {
	it("refuses what is larger than 1 MB, no JSON, or does not come", async () => {
		const heard: unknown[] = [];
		const open = await listenOnSocket(async (message) => {
			heard.push(message);
			return { status: "ok", output: "" };
		}, 300);
		assert.match((await speakRaw(open.address, "x".repeat(1024 * 1024 + 2))).output, /larger than 1 MB/);
		assert.match((await speakRaw(open.address, '{"a":')).output, /did not come in time/);
		assert.deepEqual(heard, []);
		await speakRaw(open.address, "no json\n");
		assert.deepEqual(heard, [undefined]);
		await open.close();
		await assert.rejects(speakRaw(open.address, "\n"));
	});
});
