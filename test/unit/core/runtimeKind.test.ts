// Kinds of runtimes, by the definition of an agent.
import assert from "node:assert/strict";
import { CHAT_PROVIDERS } from "../../../src/core/role.ts";
import { type RuntimeKind, runtimeOf, runtimeTraits } from "../../../src/core/runtimeKind.ts";

describe("an agent's runtime", () => {
	it("is our loop unless its definition names a program or another place", () => {
		const kinds = CHAT_PROVIDERS.map((provider) => runtimeOf({ chat: { provider } }));
		assert.deepEqual(kinds, ["loop", "loop", "loop", "claude", "codex", "pi"] satisfies RuntimeKind[]);
		assert.equal(runtimeOf({}), "loop");
		assert.equal(runtimeOf({ type: "chat" }), "loop");
		assert.equal(runtimeOf({ type: "external", chat: { provider: "claude-cli" } }), "external");
	});

	it("never works as planner if nothing holds it there, and has one of our models if it runs our tools", () => {
		for (const [kind, { asksEveryCall, planner, ownModel, runsOwnTools, startsProgram }] of Object.entries(runtimeTraits)) {
			assert.equal(planner === "gate", asksEveryCall, kind);
			assert.ok(planner !== "sandbox" || startsProgram, `${kind}: a sandbox holds a program`);
			assert.equal(ownModel, runsOwnTools, kind);
		}
	});
});
