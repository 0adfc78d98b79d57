// Tests that hostile servers and settings never reveal an API key.

// Covers errors, headers, other origins and other providers' names.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelProvider } from "../../src/core/ports/model.ts";
import { createProvider, describeModel, findApiKey, listConnections } from "../../src/models/selection/connections.ts";
import type { ProviderSetting } from "../../src/models/selection/providerSettings.ts";
import { parseSettings } from "../../src/settings/settings.ts";

const KEY = "sk-attack-51c0ffee77";
const IN_HEADER = "hk-attack-90beef1234";

const REQUEST = {
	model: "m",
	system: "",
	tools: [],
	events: [{ id: "e1", seq: 1, at: "2026-01-01T00:00:00Z", by: "person" as const, type: "user" as const, text: "Hi" }],
};

async function served<T>(
	answer: (request: IncomingMessage, response: ServerResponse) => void,
	use: (url: string) => Promise<T>,
): Promise<T> {
	const server = createServer((request, response) => {
		request.resume();
		request.on("end", () => answer(request, response));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	try {
		return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

/** All that a failure says, to the person and to a log. */
async function failureOf(provider: ModelProvider): Promise<string> {
	const said: string[] = [];
	const signal = new AbortController().signal;
	const asks = [
		() => provider.models(signal),
		async () => {
			for await (const chunk of provider.stream(REQUEST, signal)) said.push(JSON.stringify(chunk));
		},
	];
	for (const ask of asks) {
		const error = await ask().then(
			() => assert.fail("it did not fail"),
			(thrown: unknown) => thrown as Error,
		);
		said.push(String(error), JSON.stringify(error));
	}
	return said.join("\n");
}

const TYPES = ["openai", "openai-compatible", "anthropic"] as const;

function provider(type: ProviderSetting["type"], baseUrl: string, key: string | undefined, headers?: Record<string, string>) {
	const [connection] = listConnections({ mine: { type, baseUrl, ...(headers && { headers }) } });
	assert.ok(connection);
	return createProvider(connection, async () => key);
}

describe("a key", () => {
	for (const type of TYPES) {
		it(`is in no error of ${type}, though the server sends back all it was sent`, async () => {
			const echo = (request: IncomingMessage, response: ServerResponse) => {
				const all = Object.values(request.headers).flat().join(" ");
				const message = `Incorrect API key: ${all.match(/[a-z]+-attack-\w+/g)?.join(", ")}`;
				response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ error: { message, type: "auth" } }));
			};
			await served(echo, async (url) => {
				const headers = { Authorization: `Bearer ${IN_HEADER}`, "X-Team": `team=${IN_HEADER}; other` };
				for (const more of [undefined, headers]) assert.doesNotMatch(await failureOf(await provider(type, url, KEY, more)), /attack-/);
			});
		});

		it(`is in no error of ${type} where it cannot be a header at all`, async () => {
			await served(
				(_, response) => response.writeHead(500).end(),
				async (url) => {
					for (const odd of [`${KEY}\nX-Evil: 1`, `${KEY}\r\n\r\nGET / HTTP/1.1`, `${KEY}…`, `${KEY}\0`])
						assert.doesNotMatch(await failureOf(await provider(type, url, odd)), /attack-|X-Evil/, JSON.stringify(odd));
					assert.doesNotMatch(await failureOf(await provider(type, url, KEY, { "X-Odd": `${IN_HEADER}\r\nX-Evil: 1` })), /attack-|X-Evil/);
				},
			);
		});

		it(`of ${type} is sent to the origin it is for, and nowhere that this points at`, async () => {
			const seen: string[] = [];
			await served(
				(request, response) => {
					seen.push(JSON.stringify(request.headers));
					response.writeHead(200, { "content-type": "application/json" }).end("{}");
				},
				async (thief) => {
					for (const status of [301, 302, 303, 307, 308]) {
						await served(
							(request, response) => response.writeHead(status, { location: `${thief}${request.url}` }).end(),
							async (url) => failureOf(await provider(type, url, KEY, { "X-Key": IN_HEADER })),
						);
					}
				},
			);
			assert.deepEqual(seen, []);
		});
	}

	it("is no other provider's, whatever a provider is called", async () => {
		const ids = [
			"__proto__",
			"constructor",
			"toString",
			"hasOwnProperty",
			"openai ",
			"OpenAI",
			"../openai",
			"openai/x",
			"vscode",
			"offline",
			"",
		];
		const text = `{${ids.map((id) => `${JSON.stringify(id)}: {"type": "openai-compatible", "baseUrl": "http://127.0.0.1:9/v1"}`).join(",")}}`;
		const { providers } = parseSettings({ providers: JSON.parse(text), pluginsOff: [] } as never);
		const store = new Map([["troupe.key.openai", KEY]]);
		const secrets = { get: async (name: string) => store.get(name), set: async () => undefined } as never;
		const environment = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY };
		for (const connection of listConnections(providers).filter(({ isConfigured: configured }) => configured)) {
			assert.equal(await findApiKey(connection, secrets, environment), undefined, connection.id);
			assert.equal(describeModel(connection, "__proto__").id, `${connection.id}/__proto__`);
		}
		assert.equal(({} as Record<string, unknown>)["baseUrl"], undefined);
	});
});
