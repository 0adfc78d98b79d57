// Tests what a window leaves that closes while tasks begin, work, or report.

import assert from "node:assert/strict";
import { createDeferred } from "../../../fakes/deferred.ts";
import { closeTestTasks, closeWindow, newHome, openTestTasks, spawning } from "./testTasks.ts";

const quick = { type: "quick" };

describe("a window that closes", () => {
	afterEach(closeTestTasks);

	it("starts no task any more, and leaves none that its call did not start", async () => {
		const home = newHome();
		const first = await openTestTasks({ caller: [spawning("count", quick), { text: "It runs." }], count: [{ text: "Never." }] }, { home });
		const { store } = first.app;
		const create = store.create.bind(store);
		let closing: Promise<void> | undefined;
		store.create = async (summary) => {
			await create(summary);
			if (summary.kind === "task") closing = closeWindow(first);
		};
		await first.caller.send("Count");
		await closing;
		assert.deepEqual(await first.tasks(), []);

		const second = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		await second.app.sessions.recover();
		assert.deepEqual([await second.tasks(), second.caller.state.queue.size], [[], 0]);
		assert.equal((await second.caller.send("Go on")).outcome, "done");
	});

	it("refuses to start one, and to continue one", async () => {
		const setup = await openTestTasks({
			caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }],
			count: [{ text: "3." }],
		});
		await setup.caller.send("Count");
		const { sessionId } = await setup.state("done");
		const { tasks } = setup.app.delegation;
		await tasks.close();
		await assert.rejects(tasks.continue(sessionId), /window is closing/);
		await setup.caller.send("Count again");
		assert.equal((await setup.tasks()).length, 1);
	});

	it("waits until what its tasks were recording is on disk", async () => {
		const setup = await openTestTasks({
			caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }],
			count: [{ text: "3." }],
		});
		const { store } = setup.app;
		const [update, close] = [store.update.bind(store), store.close.bind(store)];
		const saving = createDeferred();
		const order: string[] = [];
		store.update = async (id, change) => {
			if (change.task?.state === "done") {
				saving.open();
				await slowDisk();
				order.push("saved");
			}
			await update(id, change);
		};
		store.close = async () => {
			order.push("closed");
			await close();
		};
		await setup.caller.send("Count");
		await saving.until;
		await closeWindow(setup);
		assert.deepEqual(order, ["saved", "closed"]);
	});

	it("takes no session again that it has left", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const first = await openTestTasks(
			{ caller: [spawning("count", quick), { text: "It runs." }], count: [{ text: "Never.", until }] },
			{ home },
		);
		const { store } = first.app;
		const { sessionId } = first.caller;
		const [own, release, find] = [store.own.bind(store), store.release.bind(store), store.find.bind(store)];
		const [telling, released] = [createDeferred(), createDeferred()];
		const taken: string[] = [];
		let isReleased = false;
		store.release = async (id) => {
			await release(id);
			if (id !== sessionId) return;
			isReleased = true;
			released.open();
		};
		store.own = async (id, how) => {
			if (isReleased) taken.push(id);
			return own(id, how);
		};
		let finds = 0;
		store.find = async (id) => {
			const found = await find(id);
			if (id === sessionId) finds += 1;
			// The third time, the task tells its caller that it runs.
			if (id !== sessionId || finds < 3) return found;
			telling.open();
			await released.until;
			return found;
		};
		await first.caller.send("Count");
		await telling.until;
		await closeWindow(first);
		open();
		assert.deepEqual(taken, []);
		await assert.rejects(first.caller.send("Hello"), /session was closed/);

		const second = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		assert.equal((await second.caller.send("Hello")).outcome, "done");
	});
});

/** Longer than everything else that a window does when it closes. */
function slowDisk(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 200));
}
