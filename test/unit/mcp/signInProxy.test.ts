// Tests MCP sign-in behind a proxy that alone resolves names, with a real proxy.

// Checks the proxy's requests and the user's prior confirmation.
import assert from "node:assert/strict";
import { createServer, request, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { createAuthorizationFetch, type OAuthNetwork } from "../../../src/mcp/auth/oauthEgress.ts";
import { addressKind, findProxyRoute, requestPinned, resolveAddresses } from "../../../src/tools/web/webRequest.ts";
import { type OAuthServer, oauthServer } from "../../fakes/mcpOAuth.ts";
import { selfSigned } from "../../fakes/selfSigned.ts";
import { openTestMcp, type TestMcp, type TestMcpOptions } from "../../fakes/testMcp.ts";

const ISSUER = "https://auth.example";
const CREDENTIALS = "ann:s3cret";

describe("Signing in to an MCP server behind a proxy", () => {
	const { key, cert } = selfSigned();
	const listening: Server[] = [];
	const seen: string[] = [];
	let server: OAuthServer;
	let setup: TestMcp | undefined;
	let [secure, proxy] = [0, 0];
	let wants = CREDENTIALS;

	const listen = async (one: Server): Promise<number> => {
		listening.push(one);
		await new Promise<void>((done) => one.listen(0, "127.0.0.1", done));
		return (one.address() as AddressInfo).port;
	};

	before(async () => {
		secure = await listen(
			createTlsServer({ key, cert }, (asked, response) => {
				const { method, url, headers } = asked;
				const { port } = new URL(server.url);
				asked.pipe(
					request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) =>
						answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers)),
					),
				);
			}),
		);
		const wrong = (given: string | undefined): boolean => given !== `Basic ${Buffer.from(wants).toString("base64")}`;
		const one = createServer((asked, response) => {
			seen.push(asked.url ?? "");
			response.writeHead(wrong(asked.headers["proxy-authorization"]) ? 407 : 200, { "content-type": "text/plain" }).end("through");
		});
		one.on("connect", (asked, socket) => {
			seen.push(asked.url ?? "");
			if (wrong(asked.headers["proxy-authorization"])) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
			const there = connect(secure, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
			for (const [from, to] of [
				[socket, there],
				[there, socket],
			] as const)
				from.on("error", () => to.destroy()).pipe(to);
		});
		proxy = await listen(one);
	});
	beforeEach(() => {
		seen.length = 0;
		wants = CREDENTIALS;
	});
	afterEach(async () => {
		await setup?.room.dispose();
		setup = undefined;
		await server?.close();
	});
	after(() => {
		for (const one of listening) {
			one.closeAllConnections();
			one.close();
		}
	});

	/** No name is resolved here; the certificate behind the proxy is one that this computer trusts. */
	const resolve = (): Promise<never> => Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }));
	const network: OAuthNetwork = {
		resolveAddresses: (url) => resolveAddresses(url, resolve),
		classifyAddress: addressKind,
		request: (url, places, send, limit, signal, agent) => {
			if (agent) Object.assign((agent as { options?: object }).options ?? {}, { ca: cert, checkServerIdentity: () => undefined });
			return requestPinned(url, places, send, limit, signal, agent);
		},
		resolveProxy: (url) => findProxyRoute(url, { proxyOf: () => `http://${CREDENTIALS}@127.0.0.1:${proxy}`, resolve }),
	};

	async function set(options: Partial<TestMcpOptions> = {}, issuer = ISSUER): Promise<TestMcp> {
		const paths = { authorization_endpoint: "authorize", token_endpoint: "token", registration_endpoint: "register" };
		const described = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `${issuer}/${path}`]));
		server = await oauthServer({ issuer, described: { issuer, ...described } });
		setup = openTestMcp({
			servers: [{ id: "far", name: "Far", source: "settings", url: server.url }],
			network,
			openUrl: (url) => {
				void browse(url);
				return true;
			},
			...options,
		});
		return setup;
	}

	/** The person's browser, which goes through the proxy by itself. */
	async function browse(address: string): Promise<void> {
		const asked = new URL(address);
		const page = await fetch(new URL(asked.pathname + asked.search, server.url), { redirect: "manual" });
		const back = new URL(page.headers.get("location") ?? "");
		back.searchParams.set("iss", ISSUER);
		await fetch(back);
	}

	it("reaches what only the proxy finds, asks for its origin once in each sign-in, and shows the proxy's password nowhere", async () => {
		const asked: string[] = [];
		const unchecked: (boolean | undefined)[] = [];
		const { tools, opened, logged, room } = await set({
			reachUnchecked: async ({ name }, origin) => asked.push(`${name} ${origin}`) > 0,
			openUrl: (url, how) => {
				unchecked.push(how);
				void browse(url);
				return true;
			},
		});
		assert.deepEqual((await tools(["far"])).said, []);
		assert.deepEqual([asked, unchecked], [[`Far ${ISSUER}`], [true]]);
		assert.deepEqual([...new Set(seen)], ["auth.example:443"]);
		server.forget();
		assert.deepEqual((await tools(["far"], "two")).said, []);
		assert.equal(asked.length, 2, "nothing of the answer lasts");
		assert.doesNotMatch([...opened, ...logged, ...room.output("far")].join("\n"), /s3cret|ann:/);
	});

	it("sends nothing where the person says no, and asks them no second time for it", async () => {
		let asked = 0;
		const { tools, opened } = await set({
			reachUnchecked: async () => {
				asked += 1;
				return false;
			},
		});
		assert.match((await tools(["far"])).said.join(), /Sign-in canceled: you didn't allow https:\/\/auth\.example\./);
		assert.deepEqual([asked, seen, opened], [1, [], []]);
	});

	it("sends nothing where nobody can be asked", async () => {
		assert.equal((await (await set()).tools(["far"])).said.length, 1);
		assert.deepEqual(seen, []);
	});

	it("asks neither the person nor the proxy for addresses and names of private networks", async () => {
		const closed = ["https://intranet", "https://login.internal", "https://printer.local", "https://10.0.0.1", "https://[fd00::1]"];
		for (const issuer of closed) {
			const { tools, room } = await set({ reachUnchecked: () => assert.fail("nobody is asked") }, issuer);
			assert.equal((await tools(["far"])).said.length, 1, issuer);
			await room.dispose();
			await server.close();
		}
		assert.deepEqual(seen, []);
	});

	it("says that the proxy wants another password without saying which it was given", async () => {
		wants = "ann:another";
		const { tools } = await set({ reachUnchecked: async () => true });
		const said = (await tools(["far"])).said.join();
		assert.match(said, /Couldn't reach https:\/\/auth\.example: the proxy requires a user name and password/);
		assert.doesNotMatch(said, /s3cret|ann/);
	});

	it("reaches the server's own origin, which the person approved, without another question", async () => {
		server = await oauthServer();
		const own = new URL("http://far.example/mcp");
		const ask = createAuthorizationFetch(own, network, new AbortController().signal, () => assert.fail("nobody is asked"));
		assert.equal(await (await ask("http://far.example/.well-known/oauth-protected-resource")).text(), "through");
		assert.deepEqual(seen, ["http://far.example/.well-known/oauth-protected-resource"]);
	});
});
