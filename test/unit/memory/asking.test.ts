// Tests who is asked before memory changes, by whose it is and by who began the turn.
import assert from "node:assert/strict";
import type { Author } from "../../../src/core/events.ts";
import type { Sender } from "../../../src/session/state/message.ts";
import { closeTestSessions } from "../session/testSession.ts";
import { call, openTestMemory, turnOf } from "./testMemory.ts";

const WRITE = call("memory_write", { path: "person/wishes.md", content: "Tea." });
const ASKING: Record<string, Author | Sender> = {
	"an agent's message": { by: "agent:other", ceiling: ["ReadFiles", "Delegate"], session: "elsewhere" },
	"a task's news": { by: "agent:task-explore", session: "task", about: { kind: "task", task: "t", state: "done" } as never },
	"a channel": "channel:slack",
	"VS Code's chat": "channel:VS Code chat",
	"the API": "api",
	"the host": "host",
};

describe("writing to memory", () => {
	afterEach(closeTestSessions);

	it("of the person asks nothing in a turn that they began, and of the workspace in none", async () => {
		const own = await openTestMemory(turnOf(WRITE), { settings: { approval: "ask" } });
		await own.session.send("Remember tea");
		assert.deepEqual([own.text("person/wishes.md"), own.types().includes("asked")], ["Tea.\n", false]);
		for (const from of ["api", "channel:slack"] as const) {
			const set = await openTestMemory(turnOf(call("memory_write", { path: "workspace/facts.md", content: "Node." })));
			await set.session.send("Go", from);
			assert.deepEqual([set.text("workspace/facts.md"), set.types().includes("asked")], ["Node.\n", false], from);
		}
	});

	for (const [who, from] of Object.entries(ASKING)) {
		it(`of the person asks in a turn begun by ${who}, with the change, once, in every mode`, async () => {
			const set = await openTestMemory(turnOf(WRITE), {
				settings: { approval: "auto", rules: { deny: [], ask: [], allow: ["memory_*"] } },
			});
			const end = set.session.send("Remember tea", from);
			const asked = await set.event("asked");
			assert.equal(set.text("person/wishes.md"), undefined);
			assert.equal(asked.summary, "Write person/wishes.md in memory");
			assert.equal(asked.reason, "This changes your own memory, in a turn that you didn't begin.");
			assert.deepEqual([asked.session, asked.always, asked.hash.length], [undefined, undefined, 64]);
			assert.ok(asked.view?.kind === "change");
			assert.deepEqual(
				asked.view.changes.map(({ path, action, diff }) => [path, action, diff.includes("+Tea.")]),
				[["memory:person/wishes.md", "create", true]],
			);
			await set.answer({ allow: true, scope: "always" });
			await end;
			assert.equal(set.text("person/wishes.md"), "Tea.\n");
		});
	}

	it("of the person changes nothing when it is denied", async () => {
		const set = await openTestMemory(turnOf(WRITE));
		const end = set.session.send("Remember tea", "api");
		await set.answer({ allow: false, reason: "No." });
		await end;
		assert.deepEqual([set.outputs()[0]?.status, set.text("person/wishes.md")], ["denied", undefined]);
	});

	it("of the person is refused with a sentence where nobody is there to ask", async () => {
		const set = await openTestMemory(turnOf(WRITE));
		await set.session.send("Remember tea", { by: "api", unattended: true });
		assert.deepEqual(set.outputs(), [
			{ status: "denied", output: "Refused: This changes your own memory, in a turn that you didn't begin." },
		]);
		assert.equal(set.text("person/wishes.md"), undefined);
	});

	it("asks nothing about a path that is none", async () => {
		const set = await openTestMemory(turnOf(call("memory_write", { path: "Person/wishes.md", content: "x" })));
		await set.session.send("Go", "api");
		assert.deepEqual([set.outputs()[0]?.status, set.types().includes("asked")], ["error", false]);
	});

	it("is denied by the person's rules in every turn", async () => {
		const set = await openTestMemory(turnOf(WRITE), { settings: { rules: { deny: ["memory_write"], ask: [], allow: [] } } });
		await set.session.send("Remember tea");
		assert.equal(set.outputs()[0]?.output, "Refused: Denied by your rule memory_write.");
	});

	it("is no change outside the plan that runs", async () => {
		const plan = { goal: "Louder", steps: [{ step_number: 1, action: "Change it", files: ["src/a.ts"] }] };
		const set = await openTestMemory([
			call("present_plan", plan),
			call("update_step", { step_number: 1, status: "running" }),
			call("memory_write", { path: "workspace/facts.md", content: "Node." }),
			{ text: "Done." },
		]);
		await set.session.send("Plan");
		await set.session.executePlan({});
		const result = [...set.session.state.calls.values()].at(-1)?.result;
		assert.ok(result?.view?.kind === "change");
		assert.equal(result.view.changes[0]?.deviation, undefined);
		assert.equal(set.session.state.plans[0]?.deviations.length, 0);
	});
});
