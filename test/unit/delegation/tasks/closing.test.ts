// Tests what a window leaves that closes while tasks begin, work, or report.
import assert from "node:assert/strict";
import { closeWindow, latch, newHome, spawning, strikeTasks, taskStage } from "./taskStage.ts";

const quick = { type: "quick" };

describe("a window that closes", () => {
	afterEach(strikeTasks);

	it("starts no task any more, and leaves none that its call did not start", async () => {
		const home = newHome();
		const first = await taskStage({ caller: [spawning("count", quick), { text: "It runs." }], count: [{ text: "Never." }] }, { home });
		const { store } = first.house;
		const create = store.create.bind(store);
		let closing: Promise<void> | undefined;
		store.create = async (summary) => {
			await create(summary);
			if (summary.kind === "task") closing = closeWindow(first);
		};
		await first.caller.send("Count");
		await closing;
		assert.deepEqual(await first.tasks(), []);

		const second = await taskStage({ caller: [{ text: "I see." }] }, { home });
		await second.house.sessions.recover();
		assert.deepEqual([await second.tasks(), second.caller.state.queue.size], [[], 0]);
		assert.equal((await second.caller.send("Go on")).outcome, "done");
	});

	it("refuses to start one, and to continue one", async () => {
		const stage = await taskStage({
			caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }],
			count: [{ text: "3." }],
		});
		await stage.caller.send("Count");
		const { sessionId } = await stage.state("done");
		const { tasks } = stage.house.delegation;
		await tasks.close();
		await assert.rejects(tasks.continue(sessionId), /window is closing/);
		await stage.caller.send("Count again");
		assert.equal((await stage.tasks()).length, 1);
	});

	it("waits until what its tasks were recording is on disk", async () => {
		const stage = await taskStage({
			caller: [spawning("count", quick), { text: "It runs." }, { text: "I see." }],
			count: [{ text: "3." }],
		});
		const { store } = stage.house;
		const [update, close] = [store.update.bind(store), store.close.bind(store)];
		const saving = latch();
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
		await stage.caller.send("Count");
		await saving.until;
		await closeWindow(stage);
		assert.deepEqual(order, ["saved", "closed"]);
	});

	it("takes no session again that it has left", async () => {
		const home = newHome();
		const { until, open } = latch();
		const first = await taskStage(
			{ caller: [spawning("count", quick), { text: "It runs." }], count: [{ text: "Never.", until }] },
			{ home },
		);
		const { store } = first.house;
		const { sessionId } = first.caller;
		const [own, release, find] = [store.own.bind(store), store.release.bind(store), store.find.bind(store)];
		const [telling, released] = [latch(), latch()];
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

		const second = await taskStage({ caller: [{ text: "I see." }] }, { home });
		assert.equal((await second.caller.send("Hello")).outcome, "done");
	});
});

/** Longer than everything else that a window does when it closes. */
function slowDisk(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 200));
}
