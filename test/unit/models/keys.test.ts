// Tests API keys of providers, from secrets and environment variables.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createChatStatus } from "../../../src/chat/chatStatus.ts";
import type { AgentDefinition, Role } from "../../../src/core/role.ts";
import { createModelServices } from "../../../src/models/selection/models.ts";
import type { ProviderSetting } from "../../../src/models/selection/providerSettings.ts";
import { joinText, streamJson, streamMarkdown } from "../../../src/sessions/exportSession.ts";
import { parseSettings } from "../../../src/settings/settings.ts";
import { openTestApp } from "../../fakes/testApp.ts";
import { gather, hello } from "./helpers.ts";

const CANARY = "sk-canary-7f3e9a51c2d84b60";

interface Place {
	origin: string;
	/** Whole heads of the requests that came. */
	heads: string[];
	close(): Promise<void>;
}

async function place(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Place> {
	const heads: string[] = [];
	const server = createServer((request, response) => {
		heads.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
		request.resume();
		answer(request, response);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		heads,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}

const agent: AgentDefinition = { agentId: "default", displayName: "General Assistant" };
const role: Role = { id: "planner", label: "Planner", permissions: [], prompt: "" };

function modelsWith(providers: Record<string, ProviderSetting>, environment: Record<string, string> = {}) {
	const kept = new Map<string, string>();
	const reads: string[] = [];
	const models = createModelServices({
		log: () => undefined,
		settings: () => ({ model: "mine/model", providers, roleModels: {} }),
		secrets: {
			async get(name) {
				reads.push(name);
				return kept.get(name);
			},
			set: async (name, value) => void kept.set(name, value),
		},
		restrictedReason: () => undefined,
		now: Date.now,
		presets: {},
		environment,
	});
	return { models, kept, reads };
}

function everyFile(folder: string): string[] {
	const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return found.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
}

describe("a key", () => {
	const places: Place[] = [];
	const at = async (...given: Parameters<typeof place>): Promise<Place> => {
		const made = await place(...given);
		places.push(made);
		return made;
	};
	afterEach(async () => {
		for (const made of places.splice(0)) await made.close();
	});

	const formats: ProviderSetting["type"][] = ["openai-compatible", "openai", "anthropic"];
	for (const type of formats) {
		it(`goes to its own address alone, and into nothing that is kept or told (${type})`, async () => {
			const stranger = await at((_, response) => response.end("{}"));
			const answers: ((response: ServerResponse) => void)[] = [
				(response) =>
					response.writeHead(401).end(JSON.stringify({ error: { message: `Incorrect API key provided: ${CANARY}.`, type: "auth" } })),
				(response) => response.writeHead(307, { location: `${stranger.origin}/v1/again` }).end(),
				(response) => response.writeHead(400).end(`key ${CANARY} and bearer "Bearer ${CANARY}" are of no use`),
			];
			const home = await at((_, response) => answers.shift()?.(response) ?? response.writeHead(404).end("{}"));
			const { models } = modelsWith({ mine: { type, baseUrl: `${home.origin}/v1` } });
			await models.setApiKey("mine", CANARY);
			const { provider } = await models.choose(agent, role, "known");
			const app = await openTestApp({ model: provider });
			const log: string[] = [];
			app.services.log = (line) => void log.push(line);
			try {
				const summary = await app.sessions.create({ role: "planner" });
				const session = await app.sessions.get(summary.sessionId);
				const ends = [];
				for (let turn = 0; turn < 3; turn += 1) ends.push(await session.send("Hello"));
				assert.deepEqual(
					ends.map(({ outcome }) => outcome),
					["failed", "failed", "failed"],
				);
				const told = JSON.stringify([
					ends,
					log,
					await createChatStatus(app.sessions, summary.sessionId, undefined, () => undefined),
					await joinText(streamJson(summary, session.state.events)),
					await joinText(streamMarkdown(summary, session.state, session.state.events)),
					await models.listModels(),
					await models.apiKeyProviders(),
					...everyFile(join(app.folder, "..")),
				]);
				assert.match(told, /Hello.*Incorrect API key provided/s, "what is searched holds the conversation and the refusal");
				assert.ok(!told.includes(CANARY), told.slice(Math.max(0, told.indexOf(CANARY) - 200), told.indexOf(CANARY) + 60));
			} finally {
				await app.close();
			}
			assert.ok(home.heads.length >= 3 && home.heads.slice(0, 3).every((head) => head.includes(CANARY)), "its own provider gets it");
			assert.ok(!stranger.heads.some((head) => head.includes(CANARY)), "a redirect leads it nowhere else");
		});
	}

	it("of the environment is not handed to a provider of another name", async () => {
		const other = await at((_, response) => response.end(JSON.stringify({ data: [{ id: "model" }] })));
		const { models } = modelsWith({ mine: { type: "openai", baseUrl: `${other.origin}/v1` } }, { OPENAI_API_KEY: CANARY });
		await models.testConnection("mine");
		assert.equal(other.heads.length, 1);
		assert.ok(!other.heads.join().includes(CANARY));
	});

	it("has no place in the settings: there only a variable's name counts", () => {
		const { providers } = parseSettings({
			model: "auto",
			maxSteps: 1,
			providers: { mine: { type: "openai", apiKey: CANARY, key: CANARY } },
			roleModels: {},
			agents: [],
			roles: [],
			mcpServers: {},
			approval: "plan",
			readingCommands: "allow",
			permissions: {},
			environment: [],
			shell: "",
			sandbox: "off",
			sandboxWritable: [],
			defaultRole: "planner",
			delegation: {},
			tasks: {},
			persona: {},
			disabledPlugins: [],
		});
		assert.ok(!JSON.stringify(providers).includes(CANARY));
	});

	it("is read once for all requests, and again once it has changed", async () => {
		const server = await place((_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end("data: [DONE]\n\n"));
		try {
			const { models, kept, reads } = modelsWith({ mine: { type: "openai-compatible", baseUrl: server.origin } });
			kept.set("troupe.key.mine", "first");
			const { provider } = await models.choose(agent, role);
			const ask = () => gather(provider, hello);
			await ask();
			const before = reads.length;
			await ask();
			await ask();
			assert.equal(reads.length, before);
			// Also by the provider of a turn that is running.
			await models.setApiKey("mine", "second");
			await ask();
			const asked = server.heads.filter((head) => head.startsWith("POST"));
			assert.deepEqual(
				asked.map((head) => /Bearer (\w+)/.exec(head)?.[1]),
				["first", "first", "first", "second"],
			);
		} finally {
			await server.close();
		}
	});

	it("from a variable stays with its address when the settings change in a turn", async () => {
		const answer = (_: IncomingMessage, response: ServerResponse) =>
			response.writeHead(200, { "content-type": "text/event-stream" }).end("data: [DONE]\n\n");
		const [first, second] = [await at(answer), await at(answer)];
		const settings = ({ origin }: Place, apiKeyEnv: string): ProviderSetting => ({ type: "openai-compatible", baseUrl: origin, apiKeyEnv });
		const providers = { mine: settings(first, "FIRST_KEY") };
		const { models } = modelsWith(providers, { FIRST_KEY: "one", SECOND_KEY: "two" });
		const old = (await models.choose(agent, role)).provider;
		await gather(old, hello);
		for (const oldAsksFirst of [true, false]) {
			providers.mine = settings(second, "SECOND_KEY");
			models.invalidate();
			if (oldAsksFirst) await gather(old, hello);
			await gather((await models.choose(agent, role)).provider, hello);
			await gather(old, hello);
		}
		const sent = ({ heads }: Place) =>
			new Set(heads.filter((head) => head.startsWith("POST")).map((head) => /Bearer (\w+)/.exec(head)?.[1]));
		assert.deepEqual([sent(first), sent(second)], [new Set(["one"]), new Set(["two"])]);
	});

	it("that is removed is gone, and says from where one still comes", async () => {
		const environment = { MINE_KEY: CANARY };
		const { models, kept } = modelsWith({ mine: { type: "openai", apiKeyEnv: "MINE_KEY" } }, environment);
		await models.setApiKey("mine", "other");
		assert.deepEqual(await models.apiKeyProviders(), [{ id: "mine", label: "mine", environmentVariable: "MINE_KEY", keySource: "stored" }]);
		await models.setApiKey("mine", "");
		assert.equal(kept.get("troupe.key.mine"), "");
		assert.deepEqual(await models.apiKeyProviders(), [
			{ id: "mine", label: "mine", environmentVariable: "MINE_KEY", keySource: "environment" },
		]);
	});
});
