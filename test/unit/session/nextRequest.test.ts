// Tests that nothing is looked up between the last result of a step and the request that has it.
import assert from "node:assert/strict";
import { createOpenAiCompatibleProvider } from "../../../src/models/openai/openai.ts";
import { countDiskQuestions } from "../../fakes/countingDisk.ts";
import { startModelServer } from "../../fakes/modelServer/server.ts";
import { openTestApp } from "../../fakes/testApp.ts";

const STEPS = 4;

describe("between the last result of a step and the next request", () => {
	it("neither the disk, the model services, the settings, nor the prompt's sources are asked", async () => {
		const server = await startModelServer({
			script: ({ number }) => (number < STEPS ? { calls: [{ name: "read_file", input: { path: `${number}.ts` } }] } : { text: "Done." }),
		});
		const files = Object.fromEntries(Array.from({ length: STEPS }, (_, step) => [`${step}.ts`, "1\n"]));
		const lookups: string[] = [];
		let isBetween = false;
		let requests = 0;
		const provider = createOpenAiCompatibleProvider({
			id: "x",
			baseUrl: server.url,
			apiKey: async () => "key",
			fetch(...given) {
				requests += 1;
				isBetween = false;
				return fetch(...given);
			},
		});
		const app = await openTestApp({
			model: provider,
			files,
			settings: { approval: "auto" },
			info: { tools: true, window: 100_000 },
		});
		const watch = (name: string, owner: object): void => {
			for (const [key, value] of Object.entries(owner)) {
				if (typeof value !== "function") continue;
				const watched = (...given: unknown[]): unknown => {
					if (isBetween) lookups.push(`${name}.${key}`);
					return value.apply(owner, given);
				};
				Object.assign(owner, { [key]: watched });
			}
		};
		const { services, policy } = app;
		const rooms = { services, policy, blobs: services.blobs, parts: services.parts, registry: services.registry, facts: services.facts };
		for (const [name, owner] of Object.entries(rooms)) watch(name, owner);
		const disk = countDiskQuestions(() => isBetween);
		app.sessions.listen({
			event: (_, { type }) => {
				isBetween = type === "result";
			},
		});
		try {
			const { sessionId } = await app.sessions.create({ role: "actor" });
			const { outcome } = await (await app.sessions.get(sessionId)).send("Go");
			assert.equal(outcome, "done");
			assert.equal(requests, STEPS + 1);
			assert.deepEqual([lookups, disk.asked], [[], []]);
		} finally {
			disk.restore();
			await app.close();
			await server.close();
		}
	});
});
