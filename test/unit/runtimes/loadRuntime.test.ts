// What runs an agent's turns, by its definition.
import assert from "node:assert/strict";
import { CHAT_PROVIDERS } from "../../../src/core/role.ts";
import { loadRuntime } from "../../../src/runtimes/loadRuntime.ts";
import { loop } from "../../../src/runtimes/loop/loop.ts";

const writer = { agentId: "writer", displayName: "Writer" };

describe("the runtime of an agent", () => {
	it("is the loop for agents that chat over a model", async () => {
		assert.equal(await loadRuntime(writer), loop);
		assert.equal(await loadRuntime({ ...writer, type: "chat", chat: { provider: "openai" } }), loop);
	});

	it("is none for those that are to run elsewhere: no other model is asked in their name", async () => {
		await assert.rejects(loadRuntime({ ...writer, type: "external" }), /^Error: Writer is an external agent, .*Nothing was sent/);
		for (const provider of CHAT_PROVIDERS.filter((name) => name.endsWith("-cli"))) {
			await assert.rejects(loadRuntime({ ...writer, chat: { provider } }), new RegExp(`^Error: Writer is to be answered by ${provider},`));
		}
	});
});
