// Signing in to a server over HTTP: the whole way through a browser, and where it must not lead.
import assert from "node:assert/strict";
import { createServer, get } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthorizedFetch } from "../../../src/mcp/auth/authorizedFetch.ts";
import { addressKind, requestPinned } from "../../../src/tools/web/webRequest.ts";
import { type OAuthOptions, type OAuthServer, oauthServer } from "../../fakes/mcpOAuth.ts";
import { selfSigned } from "../../fakes/selfSigned.ts";
import { openTestMcp, type TestMcp, type TestMcpOptions, toolNamed } from "../../fakes/testMcp.ts";

describe("Signing in to an MCP server", () => {
	let server: OAuthServer;
	let setup: TestMcp;
	const set = (options: Partial<TestMcpOptions> = {}): TestMcp => {
		setup = openTestMcp({
			servers: [{ id: "far", name: "Far", source: "settings", url: server.url }],
			openUrl: (url) => {
				void server.browse(url);
				return true;
			},
			...options,
		});
		return setup;
	};
	afterEach(async () => {
		await setup.room.dispose();
		await server.close();
	});

	it("goes through the browser once, keeps the tokens, and uses them in the next session", async () => {
		server = await oauthServer();
		const { said, tools } = await set().tools(["far"]);
		assert.deepEqual(said, []);
		assert.match((await setup.call(toolNamed(tools, "mcp__far__whoami"), {})).output, /you have/);
		await setup.tools(["far"], "two");
		assert.equal(setup.opened.length, 1);
		assert.match(setup.tokens.get("far") ?? "", /access_token/);
		const token = /"access_token":"([^"]+)"/.exec(setup.tokens.get("far") ?? "")?.[1] as string;
		assert.ok(![...setup.logged, ...setup.room.output("far")].some((line) => line.includes(token)));
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
		assert.match((await setup.call(toolNamed(tools, "mcp__far__whoami"), {})).output, /you have/);
		assert.equal(setup.opened.length, 1);
	});

	it("asks for more where a call needs more", async () => {
		server = await oauthServer({ scope: "write" });
		const { tools } = await set().tools(["far"]);
		assert.match((await setup.call(toolNamed(tools, "mcp__far__whoami"), {})).output, /you have \[write\]/);
		assert.equal(setup.opened.length, 2);
	});

	it("forgets on request, and asks again", async () => {
		server = await oauthServer();
		await set().tools(["far"]);
		await setup.room.signOut("far");
		assert.equal(setup.tokens.size, 0);
		await setup.tools(["far"]);
		assert.equal(setup.opened.length, 2);
	});

	it("keeps no token for another address that comes to the same id", async () => {
		server = await oauthServer();
		await set().tools(["far"]);
		const kept = setup.tokens.get("far") ?? "";
		const token = /"access_token":"([^"]+)"/.exec(kept)?.[1] as string;
		await setup.room.dispose();
		await server.close();
		server = await oauthServer();
		set().tokens.set("far", kept);
		await setup.tools(["far"]);
		assert.equal(setup.opened.length, 1, "the person signs in there, too");
		assert.ok(!server.authorizations.some(([, header]) => header?.includes(token)), "and nobody there has seen it");
	});

	it("shows the secret of a client that the person was given only where they first signed in with it", async () => {
		const options: OAuthOptions = { client: "mine" };
		server = await oauthServer(options);
		const other = await oauthServer({ client: "mine" });
		try {
			const signIn = { clientId: "mine", clientSecret: "s3cret-value" };
			const far = { id: "far", name: "Far", source: "settings", url: server.url, signIn } as const;
			assert.deepEqual((await set({ servers: [far] }).tools(["far"])).said, []);
			assert.deepEqual([...new Set(server.shown)], ["s3cret-value"]);
			options.issuer = new URL(other.url).origin;
			server.forget();
			assert.match((await setup.tools(["far"], "two")).said.join(), /could not be started/);
			assert.deepEqual([other.shown, setup.opened.length], [[], 1]);
			await setup.room.signOut("far");
			await setup.tools(["far"], "three");
			assert.deepEqual(other.shown, ["s3cret-value"], "the person begins anew");
		} finally {
			await other.close();
		}
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
					const right = `/callback?code=evil&state=${new URL(url).searchParams.get("state")}`;
					statuses.push((await fetch(`${back.origin}/else`)).status, await statusAs("evil.example", back.port, right));
					statuses.push(await server.browse(url));
				});
				return true;
			},
		});
		assert.deepEqual((await setup.tools(["far"])).said, []);
		assert.deepEqual(statuses.slice(0, 5), [400, 400, 400, 404, 404]);
	});

	it("says so when the person refuses, when nobody comes, and when the browser does not open", async () => {
		server = await oauthServer({ refuses: true });
		assert.match((await set().tools(["far"])).said.join(), /Sign-in was denied: access_denied/);
		await setup.room.dispose();
		assert.match((await set({ openUrl: () => true, timeouts: { userAction: 100 } }).tools(["far"])).said.join(), /Sign-in timed out/);
		await setup.room.dispose();
		assert.match((await set({ openUrl: () => false }).tools(["far"])).said.join(), /Couldn't open the sign-in page/);
	});

	it("never follows a server to another computer's private places or to plain http", async () => {
		for (const issuer of ["http://auth.example.com", "https://169.254.169.254", "https://[fd00::1]"]) {
			server = await oauthServer({ issuer });
			assert.match((await set().tools(["far"])).said.join(), /points sign-in to/, issuer);
			assert.equal(setup.opened.length, 0);
			await setup.room.dispose();
			await server.close();
		}
	});

	it("never follows a server of the public internet behind the firewall, whatever name it is given", async () => {
		const NAME = "inside.example.test";
		const lead = `https://${NAME}`;
		const to: Partial<Parameters<typeof oauthServer>[0]>[] = [
			{ issuer: lead },
			{ described: { registration_endpoint: `${lead}/register` } },
			{ described: { token_endpoint: `${lead}/token` } },
			{ described: { authorization_endpoint: `${lead}/authorize` } },
			{
				answer(request, response) {
					if (request.url !== "/mcp") return false;
					response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${lead}/about"` }).end();
					return true;
				},
			},
		];
		const places = ["10.1.2.3", "127.0.0.2", "::1", "169.254.169.254", "fd00:ec2::254", "100.100.100.200", "::ffff:192.168.1.1", "0.0.0.0"];
		const cases = [...to.map((options) => [options, "10.1.2.3"] as const), ...places.map((place) => [to[0], place] as const)];
		for (const [options, place] of cases) {
			const looked: string[] = [];
			const asked: string[] = [];
			server = await oauthServer(options);
			set({
				network: {
					request: (url, ...rest) => {
						asked.push(url.hostname);
						return requestPinned(url, ...rest);
					},
					// As if the server were far away.
					classifyAddress: (address) => (address === "127.0.0.1" ? "public" : addressKind(address)),
					// One good address beside it does not help.
					resolveAddresses: async ({ hostname }) => {
						looked.push(hostname);
						return ["127.0.0.1", ...(hostname === NAME ? [place] : [])].map((address) => ({
							address,
							family: address.includes(":") ? 6 : 4,
						}));
					},
				},
			});
			const { said } = await setup.tools(["far"]);
			const which = `${JSON.stringify(options)} ${place}`;
			// Where its own description lies elsewhere, the sign-in goes on without.
			const refusal = options?.answer
				? /could not be started/
				: /points sign-in to https:\/\/inside|Couldn't open the sign-in page: https:\/\/inside/;
			assert.match(said.join(), refusal, which);
			assert.deepEqual([looked.includes(NAME), asked.includes(NAME)], [true, false], which);
			await setup.room.dispose();
			await server.close();
		}
	});

	it("follows one that lives here to where it was judged to lead, and asks no second time where that is", async () => {
		let met = 0;
		const near = createTlsServer(selfSigned()).on("tlsClientError", () => undefined);
		near.on("connection", () => {
			met += 1;
		});
		await new Promise<void>((resolve) => near.listen(0, "127.0.0.1", resolve));
		const issuer = `https://auth.example.test:${(near.address() as AddressInfo).port}`;
		server = await oauthServer({ issuer });
		const looked: string[] = [];
		set({
			network: {
				resolveAddresses: async ({ hostname }) => {
					if (hostname === "127.0.0.1") return [{ address: hostname, family: 4 }];
					looked.push(hostname);
					return [{ address: looked.length === 1 ? "127.0.0.1" : "10.1.2.3", family: 4 }];
				},
			},
		});
		// Nobody vouches for it: it was asked, and that is all.
		assert.match((await setup.tools(["far"])).said.join(), /The server's certificate isn't trusted/);
		assert.deepEqual([met, looked], [1, ["auth.example.test"]]);
		await new Promise((resolve) => near.close(resolve));
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
		assert.match((await setup.tools(["far"])).said.join(), /could not be started/);
		assert.deepEqual(seen, []);
		assert.equal(server.authorizations[0]?.[1], "Bearer sesame");
		other.close();
	});

	it("a request that is led elsewhere is not sent at all, whoever asks for it", async () => {
		server = await oauthServer();
		set();
		const signIn = { getAuthorizationHeader: async () => "Bearer sesame", handleRefusal: async () => false };
		const ask = createAuthorizedFetch(new URL("http://127.0.0.1:1/mcp"), {}, signIn, new AbortController().signal);
		await assert.rejects(ask(server.url), /points to http:\/\/127\.0\.0\.1:\d+, which isn't allowed/);
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

/** As a page whose name was made to lead to this computer asks. */
function statusAs(host: string, port: string, path: string): Promise<number> {
	return new Promise((resolve, reject) => {
		get({ host: "127.0.0.1", port, path, headers: { host } }, (response) => {
			response.resume();
			resolve(response.statusCode ?? 0);
		}).on("error", reject);
	});
}
