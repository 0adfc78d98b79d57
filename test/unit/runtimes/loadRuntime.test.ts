// Tests the loading of runtimes on first use.
import assert from "node:assert/strict";
import { CHAT_PROVIDERS } from "../../../src/core/role.ts";
import { createRuntimeLoader } from "../../../src/runtimes/loadRuntime.ts";

const writer = { agentId: "writer", displayName: "Writer" };

const choose = async () => Promise.reject(new Error("No model is asked for here."));
const loadRuntime = createRuntimeLoader(choose);

describe("the runtime of an agent", () => {
	it("is the loop for agents that chat over a model", async () => {
		const loop = await loadRuntime(writer);
		assert.equal(loop.model, choose);
		assert.equal(await loadRuntime({ ...writer, type: "chat", chat: { provider: "openai" } }), loop);
	});

	it("is none for those that are to run elsewhere: no other model is asked in their name", async () => {
		await assert.rejects(loadRuntime({ ...writer, type: "external" }), /^UserError: Writer is an external agent, .*Nothing was sent/);
		for (const provider of CHAT_PROVIDERS.filter((name) => name.endsWith("-cli"))) {
			await assert.rejects(
				loadRuntime({ ...writer, chat: { provider } }),
				new RegExp(`^UserError: Writer uses ${provider}, .*Nothing was sent`),
			);
		}
	});
});
