// Signing in to a server over HTTP: the whole way through a browser, and where it must not lead.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serverFetch } from "../../../src/mcp/remote.ts";
import { type OAuthServer, oauthServer } from "../../fakes/mcpOAuth.ts";
import { type McpStage, mcpStage, type StageOptions, toolNamed } from "../../fakes/mcpStage.ts";

describe("Signing in to an MCP server", () => {
	let server: OAuthServer;
	let stage: McpStage;
	const set = (options: Partial<StageOptions> = {}): McpStage => {
		stage = mcpStage({
			servers: [{ id: "far", name: "Far", source: "settings", url: server.url }],
			openUrl: (url) => {
				void server.browse(url);
				return true;
			},
			...options,
		});
		return stage;
	};
	afterEach(async () => {
		await stage.room.dispose();
		await server.close();
	});

	it("goes through the browser once, keeps the tokens, and uses them in the next session", async () => {
		server = await oauthServer();
		const { said, tools } = await set().tools(["far"]);
		assert.deepEqual(said, []);
		assert.match((await stage.call(toolNamed(tools, "mcp__far__whoami"), {})).output, /you have/);
		await stage.tools(["far"], "two");
		assert.equal(stage.opened.length, 1);
		assert.match(stage.tokens.get("far") ?? "", /access_token/);
		const token = /"access_token":"([^"]+)"/.exec(stage.tokens.get("far") ?? "")?.[1] as string;
		assert.ok(![...stage.logged, ...stage.room.output("far")].some((line) => line.includes(token)));
		// The token goes to the server alone, not to whoever gives tokens.
		assert.deepEqual(
			[...new Set(server.authorizations.filter(([, header]) => header?.startsWith("Bearer")).map(([path]) => path))],
			["/mcp"],
		);
	});

	it("renews what has expired without the person", async () => {
		server = await oauthServer();
		const { tools } = await set().tools(["far"]);
		server.expire();
		assert.match((await stage.call(toolNamed(tools, "mcp__far__whoami"), {})).output, /you have/);
		assert.equal(stage.opened.length, 1);
	});

	it("asks for more where a call needs more", async () => {
		server = await oauthServer({ scope: "write" });
		const { tools } = await set().tools(["far"]);
		assert.match((await stage.call(toolNamed(tools, "mcp__far__whoami"), {})).output, /you have \[write\]/);
		assert.equal(stage.opened.length, 2);
	});

	it("forgets on request, and asks again", async () => {
		server = await oauthServer();
		await set().tools(["far"]);
		await stage.room.signOut("far");
		assert.equal(stage.tokens.size, 0);
		await stage.tools(["far"]);
		assert.equal(stage.opened.length, 2);
	});

	it("keeps no token for another address that comes to the same id", async () => {
		server = await oauthServer();
		await set().tools(["far"]);
		const [kept] = stage.tokens.values();
		await stage.room.dispose();
		await server.close();
		server = await oauthServer();
		set().tokens.set("far", kept ?? "");
		await stage.tools(["far"]);
		assert.equal(stage.opened.length, 1, "the person signs in there, too");
	});

	it("an answer of another sign-in is not taken, and the right one is still", async () => {
		server = await oauthServer();
		const statuses: number[] = [];
		set({
			async openUrl(url) {
				const back = new URL(new URL(url).searchParams.get("redirect_uri") as string);
				setImmediate(async () => {
					for (const query of ["?code=evil", "?code=evil&state=guess", "?error=access_denied&state=x"]) {
						statuses.push((await fetch(back.origin + back.pathname + query)).status);
					}
					statuses.push((await fetch(`${back.origin}/else`)).status, await server.browse(url));
				});
				return true;
			},
		});
		assert.deepEqual((await stage.tools(["far"])).said, []);
		assert.deepEqual(statuses.slice(0, 4), [400, 400, 400, 404]);
	});

	it("says so when the person refuses, when nobody comes, and when the browser does not open", async () => {
		server = await oauthServer({ refuses: true });
		assert.match((await set().tools(["far"])).said.join(), /The sign-in was refused: access_denied/);
		await stage.room.dispose();
		assert.match((await set({ openUrl: () => true, patience: { person: 100 } }).tools(["far"])).said.join(), /Nobody signed in in time/);
		await stage.room.dispose();
		assert.match((await set({ openUrl: () => false }).tools(["far"])).said.join(), /could not be opened/);
	});

	it("never follows a server to another computer's private places or to plain http", async () => {
		for (const issuer of ["http://auth.example.com", "https://169.254.169.254", "https://[fd00::1]"]) {
			server = await oauthServer({ issuer });
			assert.match((await set().tools(["far"])).said.join(), /leads the sign-in to/, issuer);
			assert.equal(stage.opened.length, 0);
			await stage.room.dispose();
			await server.close();
		}
	});

	it("a token and the person's headers never go to another origin", async () => {
		const seen: (string | undefined)[] = [];
		const other = createServer((request, response) => {
			seen.push(request.headers.authorization);
			response.end();
		});
		await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
		const { port } = other.address() as AddressInfo;
		server = await oauthServer({
			answer(_, response) {
				response.writeHead(307, { location: `http://127.0.0.1:${port}/mcp` }).end();
				return true;
			},
		});
		const headers = { Authorization: "Bearer ${secret:MINE}" };
		set({ servers: [{ id: "far", name: "Far", source: "settings", url: server.url, headers }], secrets: { MINE: "sesame" } });
		assert.match((await stage.tools(["far"])).said.join(), /could not be started/);
		assert.deepEqual(seen, []);
		assert.equal(server.authorizations[0]?.[1], "Bearer sesame");
		other.close();
	});

	it("a request that is led elsewhere is not sent at all, whoever asks for it", async () => {
		server = await oauthServer();
		set();
		const signIn = { header: async () => "Bearer sesame", refused: async () => false };
		const ask = serverFetch(new URL("http://127.0.0.1:1/mcp"), {}, signIn, new AbortController().signal);
		await assert.rejects(ask(server.url), /leads to http:\/\/127\.0\.0\.1:\d+, where it may not go/);
		assert.deepEqual(server.requests, []);
	});

	it("an answer without an end is given up", async () => {
		server = await oauthServer({
			answer(_, response) {
				response.writeHead(200, { "content-type": "application/json" });
				response.on("error", () => undefined);
				const pour = (): void => {
					if (!response.destroyed && response.write(Buffer.alloc(1_048_576, " "))) setImmediate(pour);
					else response.once("drain", pour);
				};
				pour();
				return true;
			},
		});
		const before = process.memoryUsage().rss;
		assert.match((await set().tools(["far"])).said.join(), /could not be started/);
		assert.ok(process.memoryUsage().rss - before < 100 * 1_048_576);
	});
});
