// The steps in a session's life at which other parts take part, and turns that begin and are not run.
import assert from "node:assert/strict";
import type { SessionLifecycle } from "../../../src/sessions/lifecycle.ts";
import { closeTestSessions, openTestSession } from "../session/testSession.ts";

describe("a part that works over sessions", () => {
	afterEach(closeTestSessions);

	it("hears in order when a session is opened, cleared, and deleted, and when the window closes", async () => {
		const { app } = await openTestSession([]);
		const { sessions } = app;
		const steps: string[] = [];
		const listen = (name: string): SessionLifecycle => ({
			opening: async ({ sessionId }) => void steps.push(`${name} opening ${sessionId}`),
			taken: async ({ sessionId }) => void steps.push(`${name} taken ${sessionId}`),
			losing: async (sessionId, loss) => void steps.push(`${name} losing ${sessionId}: ${loss}`),
			deleted: async (sessionIds) => void steps.push(`${name} deleted ${sessionIds.join()}`),
			closing: async () => void steps.push(`${name} closing`),
			closed: async () => void steps.push(`${name} closed`),
		});
		sessions.onLifecycle(listen("one"));
		sessions.onLifecycle(listen("two"));
		await sessions.create({ sessionId: "s" });
		await sessions.clear("s");
		await sessions.delete("s");
		await sessions.close();
		const both = (step: string) => [`one ${step}`, `two ${step}`];
		assert.deepEqual(
			steps.filter((step) => !step.includes(" taken ")),
			["opening s", "losing s: cleared", "opening s", "losing s: deleted", "deleted s", "closing", "closed"].flatMap(both),
		);
		assert.ok(steps.includes("one taken s"), steps.join("\n"));
	});

	it("gives a session a policy and files of its own", async () => {
		const { app } = await openTestSession([{ text: "Hello." }]);
		const { sessions, services, policy } = app;
		const [role] = policy.roles();
		assert.ok(role);
		const own = { ...policy, roles: () => [{ ...role, id: "reader", permissions: [] }] };
		sessions.onLifecycle({
			opening: async ({ sessionId }) => (sessionId === "own" ? { policy: own, workspace: services.window } : undefined),
		});
		await sessions.create({ sessionId: "own", role: role.id });
		await sessions.create({ sessionId: "other", role: role.id });
		assert.equal((await sessions.get("own")).policy, own);
		assert.equal((await sessions.get("other")).policy, policy);
	});
});

describe("a turn that has begun", () => {
	afterEach(closeTestSessions);

	it("is given back if it is not run, and the messages that came meanwhile get theirs", async () => {
		const { session } = await openTestSession([{ text: "Hello." }]);
		const fails = async () => {
			await using slot = await session.begin("person");
			assert.equal(session.isRunning, true);
			throw new Error(`nothing for ${slot.turn}`);
		};
		await assert.rejects(fails, /nothing for/);
		assert.equal(session.isRunning, false);
		const slot = await session.begin("person");
		const sent = session.send("Hi");
		assert.equal((await slot.run(undefined)).outcome, "waiting");
		assert.equal((await sent).outcome, "done");
		assert.equal(session.state.turn, undefined);
	});
});
