// The fake model server: the rename flow over the wire, and the command that people can run.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createOpenAiCompatibleProvider } from "../../../src/models/openai/openai.ts";
import { planThenActScript } from "../../fakes/modelServer/planThenAct.ts";
import { startModelServer } from "../../fakes/modelServer/server.ts";
import { FORMATS } from "../../faults/models/cell.ts";
import { gather, hello } from "./helpers.ts";
import { openSession } from "./offlineLoop.ts";

describe("the fake model server", () => {
	for (const [format, create] of Object.entries(FORMATS))
		it(`plays the rename flow as ${format}: search, plan, and after the approval edits, tests and a summary`, async () => {
			const server = await startModelServer({ script: planThenActScript("one", "first", "node -e 0"), key: "k" });
			const provider = () => create({ id: "fake", baseUrl: server.url, apiKey: async () => "k" });
			const session = openSession(
				{ "a.ts": "export const one = 1;\n", "b.ts": "one;\nx;\nx;\nx;\nx;\nx;\none;\nbone;\n" },
				"planner",
				provider,
			);
			session.realCommands = true;
			try {
				await session.send("Rename one to first everywhere");
				assert.deepEqual(session.last("plan").plan.steps[0]?.files, ["a.ts", "b.ts"]);
				assert.equal(session.files()["a.ts"], "export const one = 1;\n");
				const said = await session.execute();
				assert.deepEqual(session.files(), { "a.ts": "export const first = 1;\n", "b.ts": "first;\nx;\nx;\nx;\nx;\nx;\nfirst;\nbone;\n" });
				assert.match(said, /in 2 files\. The tests pass\./);
				const steps = session.events.flatMap((event) => (event.type === "step" ? [`${event.step_number} ${event.status}`] : []));
				assert.deepEqual(steps, ["1 running", "1 done", "2 running", "2 done"]);
				assert.ok(server.requests.every((request) => request.format === format && request.headers["authorization"] === "Bearer k"));
			} finally {
				session.dispose();
				await server.close();
			}
		});

	it("runs as a command that prints its base URL", async () => {
		const command = spawn(process.execPath, ["scripts/fakeModel.mjs"], { stdio: ["ignore", "pipe", "ignore"] });
		try {
			const [line] = (await once(command.stdout, "data")) as [Buffer];
			const provider = createOpenAiCompatibleProvider({ id: "fake", baseUrl: line.toString().trim(), apiKey: async () => undefined });
			assert.deepEqual(await provider.models(new AbortController().signal), [{ id: "fake/fake", name: "fake" }]);
			assert.match((await gather(provider, hello)).text, /fake model/);
		} finally {
			command.kill();
			await once(command, "exit");
		}
	});
});
