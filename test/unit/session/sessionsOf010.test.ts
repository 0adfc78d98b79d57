// Tests that sessions stored by version 0.1.0 open unchanged and go on.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session } from "../../../src/session/session.ts";
import { type Script, scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { EDIT } from "./testSession.ts";

const FIXTURE = "test/fixtures/storage-0.1.0/storage";

describe("Sessions of 0.1.0", () => {
	let home: string;
	let app: TestApp;
	const begin = async (script: Script, files: Record<string, string> = {}): Promise<void> => {
		app = await openTestApp({ home, model: scriptedModel(script), files, now: () => new Date(Date.now() + 60_000) });
	};
	const open = async (title: string): Promise<Session> => {
		const found = (await app.sessions.list()).find(({ attributes }) => attributes?.["title"] === title);
		assert.ok(found, `no session ${title}`);
		return app.sessions.get(found.sessionId);
	};

	beforeEach(() => {
		home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-sessions-")));
		cpSync(FIXTURE, join(home, "storage"), { recursive: true });
	});
	afterEach(async () => {
		await app.close();
		rmSync(home, { recursive: true, force: true });
	});

	it("are listed and open without a byte on disk that changes", async () => {
		await begin([]);
		const listed = await app.sessions.list();
		assert.deepEqual(listed.map(({ attributes }) => attributes?.["title"]).sort(), [
			"Plan a greeting",
			"Read the long file",
			"Say hello louder",
		]);
		for (const { sessionId } of listed) {
			const { state } = await app.sessions.get(sessionId);
			assert.ok(state.events.length > 5);
		}
		await app.close();
		assert.deepEqual(filesBelow(join(home, "storage")), filesBelow(FIXTURE));
	});

	it("show the plan that was carried out, its approval, and what changed", async () => {
		await begin([]);
		const { state } = await open("Say hello louder");
		assert.deepEqual([state.role, state.plans[0]?.state, state.plans[0]?.event.plan.goal], ["actor", "closed", "Say hello louder"]);
		assert.deepEqual(
			[...state.requests.values()].map(({ event, state: answered }) => [event.type, answered]),
			[["asked", "answered"]],
		);
		assert.deepEqual([...state.changed.keys()], ["src/hello.ts", "built.txt"]);
		assert.deepEqual(
			[...state.calls.values()].map(({ call, result }) => `${call.name} ${result?.status}`),
			["read_file ok", "present_plan ok", "update_step ok", "update_file ok", "execute_command ok", "update_step ok"],
		);
	});

	it("carry a plan out whose drift was asked about, by the request's id of then", async () => {
		const readAgain = { calls: [{ name: "read_file", input: { path: "src/hello.ts" } }] };
		await begin([readAgain, { calls: [EDIT] }, { text: "Done." }], { "src/hello.ts": 'export const greeting = "hello"; // mine\n' });
		const session = await open("Plan a greeting");
		const [request] = [...session.state.requests.values()];
		assert.match(request?.event.request ?? "", /^drift_/);
		const end = await session.answer(request?.event.request ?? "", { value: "execute" }, "person");
		assert.deepEqual([end?.outcome, session.state.role], ["done", "actor"]);
		assert.match(readFileSync(join(home, "workspace/src/hello.ts"), "utf8"), /HELLO.*mine/);
	});

	it("keep what was summed up, and take the answer to a question", async () => {
		const model = scriptedModel([{ text: "Red it is." }]);
		app = await openTestApp({ home, model, now: () => new Date(Date.now() + 60_000) });
		const session = await open("Read the long file");
		const [request] = [...session.state.requests.values()];
		const end = await session.answer(request?.event.request ?? "", { value: "red" }, "person");
		assert.equal(end?.outcome, "done");
		assert.match(JSON.stringify(model.requests[0]), /SUMMARY of the session: a long file was read/);
		assert.match(JSON.stringify(model.requests[0]?.events), /"Red"/);
	});
});

/** Each file's path and text, without the index: a cache that goes by inodes and times, which a copy changes. */
function filesBelow(folder: string): [string, string][] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => name !== "index.json" && statSync(join(folder, name)).isFile())
		.map((name): [string, string] => [name.replaceAll("\\", "/"), readFileSync(join(folder, name), "utf8")])
		.sort(([one], [other]) => (one < other ? -1 : 1));
}
