// Free sessions, and those that are being created, as calls find them.
import assert from "node:assert/strict";
import { findTarget } from "../../../../src/delegation/calls/findTarget.ts";
import type { Session } from "../../../../src/session/session.ts";
import type { SessionDirectory } from "../../../../src/sessions/directory.ts";
import { closeTestCalls, openTestCalls } from "./testCalls.ts";

describe("a free session", () => {
	afterEach(closeTestCalls);

	for (const strategy of ["latest", "id"])
		it(`can be called by its ${strategy} once its disk works again`, async () => {
			const { app } = await openTestCalls({ a: [{ text: "Done." }], b: [{ text: "Done." }] });
			const { sessions, store } = app;
			const { sessionId } = await sessions.create({ agentId: "b" });
			const { lease } = await sessions.get(sessionId);
			await lease.release();
			const request = { agentId: "b", strategy: strategy === "id" ? sessionId : strategy, callers: [] };
			const { own } = store;
			store.own = async () => {
				throw new Error("The disk is gone.");
			};
			await assert.rejects(findTarget(sessions, request));
			store.own = own;
			assert.equal((await findTarget(sessions, request)).session.sessionId, sessionId);
		});
});

describe("a session that is being created", () => {
	afterEach(closeTestCalls);

	it("is one session for whoever opens it meanwhile, not two that write the same transcript", async () => {
		const { app } = await openTestCalls({ a: [{ text: "Done." }] });
		const early: Promise<Session>[] = [];
		const { sessionId } = await app.sessions.create({
			agentId: "a",
			begin: async (created) => void early.push(app.sessions.get(created.sessionId)),
		});
		assert.equal(await early[0], await app.sessions.get(sessionId));
	});

	it("or cleared is opened as it is afterwards", async () => {
		const { app, caller } = await openTestCalls({ a: [{ text: "Done." }] });
		await caller.send("Hello");
		const { sessions, store } = app;
		const { clear } = store;
		const early: Promise<Session>[] = [];
		store.clear = async (sessionId) => {
			early.push(sessions.get(sessionId));
			await Promise.race([early[0], new Promise(setImmediate)]);
			await clear(sessionId);
		};
		await sessions.clear(caller.sessionId);
		const opened = await early[0];
		assert.equal(opened, await sessions.get(caller.sessionId));
		assert.equal(opened?.state.messages, 0);
	});

	it("for a call is not given to another call that finds it in the list", async () => {
		const { app } = await openTestCalls({ a: [{ text: "Done." }], b: [{ text: "Done." }] });
		const { sessions } = app;
		const request = { agentId: "b", strategy: "latest-or-create", callers: [] };
		const found: string[] = [];
		const find = async (directory: SessionDirectory) => found.push((await findTarget(directory, request)).session.sessionId);
		let first = true;
		const directory: SessionDirectory = Object.create(sessions, {
			create: {
				async value(options: Parameters<SessionDirectory["create"]>[0]) {
					const second = first;
					first = false;
					const created = await sessions.create(options);
					if (second) await find(directory);
					return created;
				},
			},
		});
		await find(directory);
		assert.equal(new Set(found).size, 2);
	});
});
