// Serves the chat page and a baseline page in Chromium, connected to the real host.

// Messages between page and host travel as JSON over the browser's debugging connection, as they travel over a socket
// in VS Code.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../../../scripts/install.mjs";
import { webviewBuild } from "../../../scripts/webviewBuild.mjs";
import { bundled } from "../../bundle.mjs";

const { styleSheet, themes } = await import(pathToFileURL(await bundled(join(root, "test/ui/themes/themes.ts"), "bench/themes")).href);
const outdir = join(root, "out", "bench", "page");
const TYPES = { js: "text/javascript", css: "text/css", ttf: "font/ttf" };

/** Builds both pages and the host's side; resolves with the latter's exports. */
export async function buildAll() {
	const common = { absWorkingDir: root, logLevel: "warning" };
	await build({ ...webviewBuild, ...common, outdir });
	await build({ ...webviewBuild, ...common, entryPoints: { bare: "test/bench/page/bare.ts" }, outdir });
	await build({
		...common,
		entryPoints: { host: "test/bench/page/host.ts" },
		outdir,
		bundle: true,
		packages: "external",
		format: "esm",
		outExtension: { ".js": ".mjs" },
		platform: "node",
		target: "node20",
	});
	return import(`${pathToFileURL(join(outdir, "host.mjs")).href}?${Date.now()}`);
}

const html = (script) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${script}</title>
<link rel="stylesheet" href="/theme.css">${script === "bare" ? "" : '<link rel="stylesheet" href="/webview.css">'}
<style>.bare { position: fixed; inset: 0; overflow: auto; white-space: normal } .bare pre { overflow: auto }</style></head>
<body class="${themes.dark.body}"><div id="root"></div><script src="/host.js"></script><script src="/${script}.js"></script></body></html>`;

const HOST = `let kept;
window.acquireVsCodeApi = () => ({ postMessage: (message) => window.toHost(JSON.stringify(message)), getState: () => kept, setState: (state) => { kept = state; } });
window.fromHost = (json) => window.postMessage(JSON.parse(json), "*");`;

export async function serve() {
	const server = createServer(async (request, response) => {
		const name = new URL(request.url ?? "/", "http://127.0.0.1").pathname.slice(1);
		const send = (type, body) => response.writeHead(200, { "content-type": type }).end(body);
		if (name === "webview" || name === "bare") return send("text/html", html(name));
		if (name === "theme.css") return send(TYPES.css, styleSheet("dark", "sideBar-background"));
		if (name === "host.js") return send(TYPES.js, HOST);
		const body = await readFile(join(outdir, name)).catch(() => undefined);
		return body ? send(TYPES[name.split(".").at(-1)] ?? "text/plain", body) : response.writeHead(404).end();
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return { url: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** A page with a host behind it; `prepare` runs in it before its own scripts. */
export async function openPage({ browser, url, name, home, host: { openHost }, model, prepare }) {
	const context = await browser.newContext({ viewport: { width: 380, height: 900 } });
	const page = await context.newPage();
	let host;
	const early = [];
	await page.exposeFunction("toHost", (json) => (host ? host.receive(JSON.parse(json)) : early.push(json)));
	if (prepare) await page.addInitScript(prepare);
	const post = (update) => void page.evaluate((json) => window.fromHost(json), JSON.stringify(update)).catch(() => undefined);
	host = await openHost(home, post, model);
	const load = async () => {
		await page.goto(`${url}${name}`);
		for (const json of early.splice(0)) host.receive(JSON.parse(json));
	};
	return {
		page,
		host,
		load,
		async close() {
			await host.close();
			await context.close();
		},
	};
}
