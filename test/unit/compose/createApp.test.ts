// Tests the app as it is composed, without an editor.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { AppPorts } from "../../../src/compose/createApp.ts";
import type { McpLaunch } from "../../../src/core/ports/mcp.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp } from "../../fakes/testApp.ts";
import { faultServer } from "../../fakes/testMcp.ts";

const ECHO = "mcp__one__echo";
const server = faultServer("one", "none");
const agents = [{ agentId: "own", displayName: "Own", mcpServers: ["one"] }];
const settings = { approval: "auto", mcpServers: { servers: [server], ids: [server.id] } } as const;

describe("the app without an editor", () => {
	let home: string;
	beforeEach(() => {
		home = mkdtempSync(join(tmpdir(), "troupe-app-"));
	});
	afterEach(() => rmSync(home, { recursive: true, force: true }));

	/** What a call of the server's tool came to, and the launches that were confirmed for it. */
	async function callEcho(confirmed: boolean) {
		const asked: McpLaunch[] = [];
		const model = scriptedModel([{ calls: [{ name: ECHO, input: { words: "hi" } }] }, { text: "Done." }]);
		const mcp = mcpPorts(async (launch) => {
			asked.push(launch);
			return confirmed ? "start" : "later";
		});
		const app = await openTestApp({ home, model, agents, mcp, settings });
		try {
			const { sessionId } = await app.sessions.create({ agentId: "own", role: "actor" });
			const session = await app.sessions.get(sessionId);
			app.sessions.listen({
				event(_, event) {
					// As the person would: answers at once are not taken.
					if (event.type === "asked")
						setTimeout(() => void session.answer(event.request, { allow: true }, "person", event.hash).catch(() => undefined), 600);
				},
			});
			await session.send("Go");
			const result = session.state.events.findLast((event) => event.type === "result");
			return { status: result?.status, output: result?.output ?? "", asked: asked.map(({ config }) => config.id) };
		} finally {
			await app.close();
		}
	}

	it("runs an MCP server of the settings once the person confirms its start, and asks no second time", async () => {
		const refused = await callEcho(false);
		assert.deepEqual(refused.asked, ["one"]);
		assert.notEqual(refused.status, "ok");
		const first = await callEcho(true);
		assert.deepEqual([first.status, first.asked], ["ok", ["one"]], first.output);
		const second = await callEcho(true);
		assert.deepEqual([second.status, second.asked], ["ok", []], second.output);
	});

	it("reads sessions and stored bytes that its folders have in another storage", async () => {
		const earlier = await openTestApp({ home, model: scriptedModel([]) });
		const { sessionId } = await earlier.sessions.create({ name: "Earlier" });
		const blob = await earlier.services.blobs.put(Buffer.from("before"));
		await earlier.close();
		const app = await openTestApp({ model: scriptedModel([]), also: [earlier.storage] });
		try {
			assert.deepEqual(
				(await app.sessions.list()).map(({ sessionId: id, name }) => [id, name]),
				[[sessionId, "Earlier"]],
			);
			assert.equal(Buffer.from((await app.services.blobs.get(blob)) ?? []).toString(), "before");
		} finally {
			await app.close();
		}
	});

	it("makes copies of the workspace in its storage for all workspaces, which only the copy's own gate opens", async () => {
		const app = await openTestApp({ home, model: scriptedModel([]), files: { "src/a.txt": "one\n" } });
		try {
			const { copies, window } = app.services;
			assert.ok(copies);
			await copies.create("t1", new AbortController().signal);
			const copy = await copies.open("t1");
			assert.ok(copy);
			const [folder] = copy.workspace.folders();
			const path = join(folder?.path ?? "", "src", "a.txt");
			assert.match(relative(join(realpathSync(home), "global", "copies"), path), /^[0-9a-f]{16}[\\/]t1[\\/]/);
			assert.equal(Buffer.from(await copy.workspace.read(path)).toString(), "one\n");
			assert.deepEqual([await copy.gate.visible(path), await window.gate.visible(path)], [true, false]);
			assert.equal(copy.workspace.identity(), window.workspace.identity());
			await copy.dispose();
			await copies.remove("t1");
			assert.equal(await copies.open("t1"), undefined);
		} finally {
			await app.close();
		}
	});
});

function mcpPorts(confirmStart: (launch: McpLaunch) => Promise<"start" | "later">): NonNullable<AppPorts["mcp"]> {
	const refuse = async () => false;
	return {
		dialogs: {
			confirmStart,
			launchLines: ({ id }) => [id],
			confirmChangedTools: refuse,
			answer: async () => undefined,
			openSignIn: refuse,
			confirmUncheckedOrigin: refuse,
			reachedAt: async (url) => url,
			notifyMissingSecret: assert.fail,
		},
		secrets: { get: async () => undefined },
		tokens: { get: async () => undefined, set: async () => undefined },
		folders: () => [],
		onSettings: () => ({ dispose: () => undefined }),
		warn: assert.fail,
	};
}
