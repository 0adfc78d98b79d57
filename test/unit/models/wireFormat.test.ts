// Tests the detection of a server's wire format.
import assert from "node:assert/strict";
import { agent, compatible, createModels, elsewhere, leave, open, preset, role } from "./modelsFixture.ts";

type ModelServices = ReturnType<typeof createModels>;

const PATHS = { openai: "/v1/responses", "openai-compatible": "/v1/chat/completions", anthropic: "/v1/messages" } as const;

/** Of that agent, after it was asked something: the model, and the paths that were asked of the server meanwhile. */
async function ask({ models }: ModelServices, who: typeof agent, server: { asked: string[] }) {
	const { id, provider, model } = await models.choose(who, role);
	const before = server.asked.length;
	const request = { model, system: "", tools: [], events: [] };
	try {
		for await (const _ of provider.stream(request, AbortSignal.timeout(5_000))) break;
	} catch {
		// What it answers is no answer of any format.
	}
	return { id, paths: new Set(server.asked.slice(before).map((path) => path.split("?")[0])) };
}

describe("the wire format that an agent names", () => {
	afterEach(leave);

	for (const [provider, path] of Object.entries(PATHS) as [keyof typeof PATHS, string][]) {
		it(`${provider} is the one in which the server of its own model is asked`, async () => {
			const server = await open(["m1"]);
			for (const type of Object.keys(PATHS) as (keyof typeof PATHS)[]) {
				const baseUrl = type === "anthropic" ? server.url.replace(/\/v1$/, "") : server.url;
				const here = createModels({ mine: { type, baseUrl } });
				await here.models.setApiKey("mine", "k");
				const { id, paths } = await ask(here, { ...agent, model: "mine/m1", chat: { provider } }, server);
				assert.deepEqual([id, paths.has(path)], ["mine/m1", true], `${type}: ${[...paths]}`);
				for (const other of Object.values(PATHS)) assert.equal(paths.has(other), other === path, `${type}: ${[...paths]}`);
			}
		});
	}

	it("chooses among providers that have it, whatever model the person has set for all", async () => {
		const [one, other] = [await open(["m1"]), await open(["m2"])];
		const providers = { one: compatible(one.url), other: { type: "anthropic" as const, baseUrl: other.url.replace(/\/v1$/, "") } };
		const here = createModels(providers, { model: "one/m1" });
		const { id, paths } = await ask(here, { ...agent, chat: { provider: "anthropic" } }, other);
		assert.deepEqual([id, [...paths]], ["other/m2", [PATHS.anthropic]]);
		assert.equal((await ask(here, { ...agent, chat: { provider: "openai-compatible" } }, one)).id, "one/m1");
		assert.equal(await here.choose(), "one/m1");
	});

	it("is refused with the reason where a known provider does not have it, or none can be used", async () => {
		const server = await open(["m1"]);
		const presets = { hosted: preset(elsewhere(server.url)) };
		const here = createModels({}, { presets });
		await here.models.setApiKey("hosted", "k");
		const wanted = { ...agent, chat: { provider: "anthropic" as const } };
		await assert.rejects(
			here.choose({ ...wanted, model: "hosted/m1" }),
			/requires the format anthropic .* its model hosted\/m1 doesn't support/,
		);
		await assert.rejects(here.choose(wanted), /no available provider supports this format.*Set an API key/);
		assert.deepEqual(
			server.asked.filter((path) => path.includes("messages")),
			[],
		);
	});
});
