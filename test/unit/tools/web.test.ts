// web_fetch against real servers: what it reads, and where it does not go.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { createWebFetch } from "../../../src/tools/web/webFetch.ts";
import { isPublicAddress, publicWebAccess, type WebAccess } from "../../../src/tools/web/webRequest.ts";
import { type Bench, bench, problemOf } from "./support.ts";

let here: Bench;
let server: Server;
let port: number;
let requests: string[];
const routes = new Map<string, RequestListener>();

/** Every name leads to the server; `.private` names are judged as private. */
const reach: WebAccess = {
	resolve: async (host) => [{ address: host.endsWith(".private") ? "10.0.0.1" : "127.0.0.1", family: 4 }],
	allows: (address) => address === "127.0.0.1",
};
const tool = createWebFetch({ reach });

function fetchPage(path: string, more: Parameters<Bench["call"]>[2] = {}, start?: number) {
	return here.call(tool, { url: `http://site.example:${port}${path}`, ...(start === undefined ? {} : { start }) }, more);
}

function answer(path: string, body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): void {
	routes.set(path, (_request, response) => response.writeHead(status, headers).end(body));
}

before(async () => {
	here = await bench();
	server = createServer((request, response) => {
		requests.push(`${request.headers.host} ${request.url}`);
		const route = routes.get(request.url ?? "");
		if (route) route(request, response);
		else response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	port = (server.address() as AddressInfo).port;
});
after(async () => {
	server.closeAllConnections();
	await new Promise((done) => server.close(done));
	await rm(here.root, { recursive: true });
});
beforeEach(() => {
	requests = [];
	routes.clear();
});

describe("web_fetch", () => {
	it("reads a page as text, under the name it was asked for", async () => {
		const html =
			"<!doctype html><html><head><title>The  title</title><style>x{}</style></head><body><nav><a href='/home'>Home</a></nav><h1>Hello</h1><p>One&nbsp;&amp; <b>two</b>,\n three<br>four</p><ul><li>a</li><li>b <a href=\"/x?y=1\">link</a></li></ul><script>alert(1)</script><pre>  code\n   more</pre><img src=x alt=Logo></body></html>";
		answer("/page", html, { "content-type": "text/html; charset=utf-8" });
		const { output, status } = await fetchPage("/page");
		assert.equal(
			output,
			[
				"status: 200",
				`url: http://site.example:${port}/page`,
				"",
				"The title",
				"",
				`Home (http://site.example:${port}/home)`,
				"",
				"# Hello",
				"",
				"One & two, three",
				"four",
				"",
				"- a",
				`- b link (http://site.example:${port}/x?y=1)`,
				"",
				"```",
				"  code",
				"   more",
				"```",
				"",
				"[image: Logo]",
			].join("\n"),
		);
		assert.equal(status, "ok");
		assert.deepEqual(requests, [`site.example:${port} /page`]);
	});

	it("unpacks gzip and brotli, and reads other character sets", async () => {
		answer("/gzip", gzipSync("packed"), { "content-type": "text/plain", "content-encoding": "gzip" });
		answer("/br", brotliCompressSync("packed too"), { "content-type": "text/plain", "content-encoding": "br" });
		answer("/latin", Buffer.from("caf\u00e9", "latin1"), { "content-type": "text/plain; charset=iso-8859-1" });
		answer("/meta", Buffer.from('<meta charset="iso-8859-1"><p>caf\u00e9', "latin1"), { "content-type": "text/html" });
		assert.match((await fetchPage("/gzip")).output, /\n\npacked$/);
		assert.match((await fetchPage("/br")).output, /\n\npacked too$/);
		assert.match((await fetchPage("/latin")).output, /\n\ncaf\u00e9$/);
		assert.match((await fetchPage("/meta")).output, /\n\ncaf\u00e9$/);
	});

	it("removes what a reader of the page would not see", async () => {
		answer("/hidden", "a\u{e0041}\u202eb\u200b\u001b[31mc<p hidden>d", { "content-type": "text/plain" });
		assert.match((await fetchPage("/hidden")).output, /\n\nab\[31mc<p hidden>d$/);
	});

	it("reads no more than 2 MB, of what a small answer unpacks to as well", async () => {
		answer("/big", "x".repeat(5_000_000), { "content-type": "text/plain" });
		answer("/bomb", gzipSync(Buffer.alloc(50_000_000, "x")), { "content-type": "text/plain", "content-encoding": "gzip" });
		for (const path of ["/big", "/bomb"]) {
			const { output } = await fetchPage(path);
			assert.match(
				output,
				/\n\[only the first 2,097,152 bytes were read\]\n\nx{31744}\n\[bytes 0-31744 of 2097152; go on with start=31744\]$/,
			);
		}
	});

	it("shows a page of 32 KB at a time, between characters", async () => {
		answer("/long", "\u20ac".repeat(20_000), { "content-type": "text/plain" });
		const { output } = await fetchPage("/long");
		assert.match(output, /\n\n\u20ac+\n\[bytes 0-31743 of 60000; go on with start=31743\]$/);
		assert.match((await fetchPage("/long", {}, 31_743)).output, /\n\n\u20ac+\n\[bytes 31743-60000 of 60000\]$/);
	});

	it("refuses what is not text, and tells of failures with their page", async () => {
		answer("/image", Buffer.from([0x89, 0x50, 0x4e, 0x47]), { "content-type": "image/png" });
		assert.match((await problemOf(fetchPage("/image"))).message, /is not text but image\/png of 4 bytes/);
		const { output, status } = await fetchPage("/missing");
		assert.match(output, /^status: 404\n[^\n]*\n\nnothing here$/);
		assert.equal(status, "error");
	});

	it("decides every hop anew and stops at one that is not allowed", async () => {
		answer("/a", "", { location: "/b" }, 302);
		answer("/b", "", { location: `http://other.example:${port}/c` }, 301);
		answer("/c", "arrived", { "content-type": "text/plain" });
		const asked: string[] = [];
		const allowing = { permitUrl: async (url: string) => asked.push(url) > 0 };
		assert.match((await fetchPage("/a", allowing)).output, new RegExp(`^status: 200\nurl: http://other.example:${port}/c\n\narrived$`));
		assert.deepEqual(asked, [`http://site.example:${port}/b`, `http://other.example:${port}/c`]);
		requests = [];
		const refusing = { permitUrl: async (url: string) => url.includes("site.example") };
		assert.match((await problemOf(fetchPage("/a", refusing))).message, /redirects to http:\/\/other\.example:\d+, which was not allowed/);
		assert.deepEqual(requests, [`site.example:${port} /a`, `site.example:${port} /b`]);
	});

	it("does not follow a redirect to a private place, another scheme or a name with a password", async () => {
		for (const location of [
			"http://10.0.0.1/",
			"http://[::ffff:10.0.0.1]/",
			`http://inner.private:${port}/`,
			"file:///etc/passwd",
			"http://a:b@site.example/",
			"//user@site.example/",
		]) {
			answer("/away", "", { location }, 302);
			await problemOf(fetchPage("/away"));
			assert.deepEqual(requests.splice(0), [`site.example:${port} /away`], location);
		}
	});

	it("does not count the time in which the person is asked about a redirect", async () => {
		answer("/slow", "", { location: "/there" }, 302);
		answer("/there", "arrived", { "content-type": "text/plain" });
		const impatient = createWebFetch({ reach, timeout: 200 });
		const permitUrl = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 400));
		const { output } = await here.call(impatient, { url: `http://site.example:${port}/slow` }, { permitUrl });
		assert.match(output, /arrived$/);
	});

	it("gives up a ring of redirects", async () => {
		answer("/ring", "", { location: "/ring" }, 307);
		assert.match((await problemOf(fetchPage("/ring"))).message, /redirects more than 5 times/);
		assert.equal(requests.length, 6);
	});

	it("goes to the address that was judged, whatever a second look-up would say", async () => {
		answer("/pinned", "here", { "content-type": "text/plain" });
		const answers = ["127.0.0.1", "10.0.0.1"];
		const rebinding = createWebFetch({ reach: { ...reach, resolve: async () => [{ address: answers.shift() ?? "10.0.0.1", family: 4 }] } });
		assert.match((await here.call(rebinding, { url: `http://rebind.example:${port}/pinned` })).output, /here$/);
		assert.deepEqual(answers, ["10.0.0.1"]);
	});

	it("refuses a name when one of its addresses is private", async () => {
		const resolve = async () => [
			{ address: "127.0.0.1", family: 4 },
			{ address: "192.168.0.1", family: 4 },
		];
		const problem = await problemOf(here.call(createWebFetch({ reach: { ...reach, resolve } }), { url: `http://two.example:${port}/` }));
		assert.match(problem.message, /not on the public internet/);
		assert.deepEqual(requests, []);
	});

	it("refuses URLs that say one thing and mean another, before anything is looked up", async () => {
		const lookedUp: string[] = [];
		const resolve = async (host: string) => {
			lookedUp.push(host);
			return [];
		};
		const silent = createWebFetch({ reach: { resolve, allows: () => true } });
		for (const url of [
			"http://example.com@evil.example/",
			"http://@evil.example/",
			"http:\\\\evil.example",
			"https://example.com\\@evil.example/",
			"ht\ttp://evil.example",
			"http://exa mple.com",
			"http://example.com/\u202e",
			"ftp://example.com/",
			"javascript:alert(1)",
			"data:text/plain,x",
			"file:///etc/passwd",
			"example.com",
		]) {
			await problemOf(here.call(silent, { url }));
		}
		assert.deepEqual(lookedUp, []);
	});

	it("refuses this machine and its neighbors as it is shipped", async () => {
		const shipped = createWebFetch({ reach: publicWebAccess });
		for (const host of ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "169.254.169.254", "0.0.0.0", "[::ffff:127.0.0.1]"]) {
			const problem = await problemOf(here.call(shipped, { url: `http://${host}:${port}/` }));
			assert.match(problem.message, /not on the public internet/, host);
		}
		assert.deepEqual(requests, []);
	});

	it("does not wait for ever, and stops when it is cancelled", async () => {
		routes.set("/slow", (_request, response) => response.writeHead(200, { "content-type": "text/plain" }).write("begun"));
		const impatient = createWebFetch({ reach, timeout: 50 });
		assert.match(
			(await problemOf(here.call(impatient, { url: `http://site.example:${port}/slow` }))).message,
			/did not answer within 0\.05 s/,
		);
		const deaf = createWebFetch({ reach: { ...reach, resolve: () => new Promise(() => {}) }, timeout: 50 });
		assert.match((await problemOf(here.call(deaf, { url: "http://lost.example/" }))).message, /did not answer within/);
		const stop = new AbortController();
		routes.set("/slow", (_request, response) => {
			response.writeHead(200, { "content-type": "text/plain" }).write("begun");
			stop.abort();
		});
		await assert.rejects(fetchPage("/slow", { signal: stop.signal }), { name: "AbortError" });
	});

	it("says when there is nobody", async () => {
		const refused = await problemOf(here.call(tool, { url: "http://site.example:1/" }));
		assert.match(refused.message, /could not be fetched: .*ECONNREFUSED/);
	});
});

describe("a public address", () => {
	const closed =
		"10.1.2.3 172.16.0.1 192.168.1.1 127.0.0.1 127.8.8.8 0.0.0.0 169.254.169.254 100.64.0.1 100.100.100.200 168.63.129.16 192.0.0.192 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 ::1 :: fe80::1 fc00::1 fd00:ec2::254 ff02::1 fec0::1 ::ffff:10.0.0.1 ::127.0.0.1 64:ff9b::a00:1 2002:a00:1:: 2001:db8::1 2001:0:1::1 100::1 5f00::1 fe80::1%eth0 nonsense";
	const open = "8.8.8.8 1.1.1.1 172.32.0.1 93.184.216.34 2606:4700:4700::1111 ::ffff:8.8.8.8";

	it("is neither private, local, reserved nor a disguise of such", () => {
		assert.deepEqual(closed.split(" ").filter(isPublicAddress), []);
		assert.deepEqual(open.split(" ").filter(isPublicAddress), open.split(" "));
	});
});
