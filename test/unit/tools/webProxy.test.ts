// web_fetch where only a proxy resolves names: a real proxy, real pages behind it, and what never goes through.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { createWebFetch } from "../../../src/tools/web/webFetch.ts";
import { createProxyOnlyHosts, publicWebAccess } from "../../../src/tools/web/webRequest.ts";
import { selfSigned } from "../../fakes/selfSigned.ts";
import { type Bench, bench, problemOf } from "./support.ts";

describe("web_fetch behind a proxy", () => {
	let here: Bench;
	let wants: string | undefined;
	const seen: string[] = [];
	const listening: Server[] = [];
	let [page, secure, proxy] = [0, 0, 0];

	const listen = async (server: Server): Promise<number> => {
		listening.push(server);
		await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
		return (server.address() as AddressInfo).port;
	};

	before(async () => {
		here = await bench();
		page = await listen(
			createServer((_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end("behind the proxy")),
		);
		const { key, cert } = selfSigned();
		secure = await listen(
			createTlsServer({ key, cert }, (_, response) => void response.writeHead(200, { "content-type": "text/plain" }).end("behind TLS")),
		);
		const server = createServer((asked, response) => {
			seen.push(asked.url ?? "");
			if (refused(asked.headers["proxy-authorization"])) return void response.writeHead(407).end();
			asked.pipe(request(`http://127.0.0.1:${page}/`, (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers))));
		});
		server.on("connect", (asked, socket) => {
			seen.push(asked.url ?? "");
			if (refused(asked.headers["proxy-authorization"])) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
			const there = connect(secure, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
			for (const [from, to] of [
				[socket, there],
				[there, socket],
			] as const)
				from.on("error", () => to.destroy()).pipe(to);
		});
		proxy = await listen(server);
	});
	after(async () => {
		for (const server of listening) {
			server.closeAllConnections();
			server.close();
		}
		await rm(here.root, { recursive: true });
	});
	beforeEach(() => {
		seen.length = 0;
		wants = undefined;
	});

	const refused = (given: string | undefined) => wants !== undefined && given !== `Basic ${Buffer.from(wants).toString("base64")}`;

	/** No name is resolved here. */
	const names = (credentials = "") =>
		createProxyOnlyHosts({
			proxyOf: () => `http://${credentials}127.0.0.1:${proxy}`,
			resolve: () => Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" })),
		});
	const tool = ({ agentFor }: ReturnType<typeof names>) => createWebFetch({ reach: { ...publicWebAccess, agentFor } });

	it("reads a page that only the proxy finds, once the gate was told that its address is unchecked", async () => {
		const proxied = names();
		const url = "http://inside.example/a";
		await problemOf(here.call(tool(proxied), { url }));
		assert.deepEqual(seen, [], "nothing goes out before the gate knows");
		assert.equal(await proxied.unchecked(url), true);
		assert.match((await here.call(tool(proxied), { url })).output, /behind the proxy/);
		assert.deepEqual(seen, [url]);
	});

	it("goes through a tunnel where the page is encrypted, and trusts no certificate that is not the page's", async () => {
		const proxied = names();
		const url = "https://inside.example/a";
		await proxied.unchecked(url);
		assert.match((await problemOf(here.call(tool(proxied), { url }))).message, /self-signed certificate/);
		assert.deepEqual(seen, ["inside.example:443"]);
	});

	it("gives the proxy its name and password, and shows them to nobody", async () => {
		wants = "ann:s3cret";
		const url = "http://inside.example/a";
		const [right, wrong] = [names("ann:s3cret@"), names("ann:wr0ng@")];
		await Promise.all([right.unchecked(url), wrong.unchecked(url)]);
		assert.match((await here.call(tool(right), { url })).output, /behind the proxy/);
		const problem = (await problemOf(here.call(tool(wrong), { url }))).message;
		assert.match(problem, /The proxy wants a name and a password/);
		assert.doesNotMatch(problem, /wr0ng|ann/);
	});

	it("asks the proxy for no name of a private network and no address", async () => {
		const proxied = names();
		for (const host of ["intranet", "printer.local", "metadata.google.internal", "wiki.corp", "localhost"]) {
			await proxied.unchecked(`http://${host}/`);
			assert.match((await problemOf(here.call(tool(proxied), { url: `http://${host}/` }))).message, /private network/, host);
		}
		for (const host of ["10.0.0.1", "127.0.0.1", "[::1]", "169.254.169.254"]) {
			assert.equal(await proxied.unchecked(`http://${host}/`), false, host);
			await problemOf(here.call(tool(proxied), { url: `http://${host}/` }));
		}
		assert.deepEqual(seen, []);
	});

	it("is not used for a name that is resolved here by now", async () => {
		let places: { address: string; family: number }[] = [];
		const proxied = createProxyOnlyHosts({ proxyOf: () => `http://127.0.0.1:${proxy}`, resolve: async () => places });
		assert.equal(await proxied.unchecked("http://inside.example/"), true);
		places = [{ address: "127.0.0.1", family: 4 }];
		assert.equal(await proxied.unchecked("http://inside.example/"), false);
		assert.equal(await proxied.agentFor(new URL("http://inside.example/")), undefined);
	});
});
