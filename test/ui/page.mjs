// Builds the webview, serves it under the same content security policy as in VS Code, and opens it in Chromium with a
// host of our own behind it.
import { rmSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { webviewBuild } from "../../scripts/webviewBuild.mjs";
import { styleSheet, themes } from "./themes.mjs";

/** Of this process: several may run at a time. */
const outdir = join("out", "ui", `site-${process.pid}`);
process.on("exit", () => rmSync(outdir, { recursive: true, force: true }));
const FLAGS =
	"--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const TYPES = { ".js": "text/javascript", ".css": "text/css", ".ttf": "font/ttf", ".html": "text/html" };
const POLICY = [
	"default-src 'none'",
	"img-src 'self' data:",
	"script-src 'nonce-page'",
	"style-src 'self' 'nonce-page'",
	"font-src 'self'",
	"connect-src 'none'",
	"form-action 'none'",
	"frame-src 'none'",
	"base-uri 'none'",
].join("; ");

/** What stands in the chat's page before its script. */
let early = { style: "", body: "", script: "" };

/** Sizes in bytes of what was built. */
export async function buildSite() {
	await rm(outdir, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	const outfile = join(outdir, "earlyComposer.cjs");
	await build({ entryPoints: ["src/shared/earlyComposer.ts"], outfile, bundle: true, format: "cjs", platform: "node" });
	early = (await import(pathToFileURL(outfile).href)).default.createEarlyComposer();
	const result = await build({ ...webviewBuild, outdir });
	return Object.fromEntries(Object.entries(result.metafile.outputs).map(([name, { bytes }]) => [name.replace(/.*\//, ""), bytes]));
}

/** As the host makes it; a language other than English brings its words along. */
const page = (
	theme,
	width,
	language,
	words,
	bundle,
) => `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>Troupe</title>
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
${bundle === "webview" ? `<style id="early" nonce="page">${early.style}</style>` : ""}<link rel="stylesheet" href="/theme.css?${theme},${width > 600 || bundle === "agents" ? "editor-background" : "sideBar-background"}"><link rel="stylesheet" href="/${bundle}.css"></head>
<body class="${themes[theme].body}"><div id="root">${bundle === "webview" ? early.body : ""}</div><script nonce="page" src="/host.js"></script>${bundle === "webview" ? `<script nonce="page">${early.script}\ndocument.getElementById("early").remove();</script>` : ""}${words ? `<script id="words" type="application/json" nonce="page">${words.replaceAll("<", "\\u003c")}</script>` : ""}<script nonce="page" src="/${bundle}.js"></script></body></html>`;

const HOST = `
window.posted = []; let kept = JSON.parse(sessionStorage.getItem("kept") ?? "null") ?? undefined; let taken = false;
window.acquireVsCodeApi = () => {
	if (taken) throw new Error("taken already"); taken = true;
	return { postMessage: (message) => { window.posted.push(structuredClone(message)); }, getState: () => kept,
		setState: (state) => { kept = state; sessionStorage.setItem("kept", JSON.stringify(state)); } };
};`;

export const bundleOf = (language) => join("l10n", `bundle.l10n.${language}.json`);

export async function serveSite() {
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? "/", "http://127.0.0.1");
		const send = (type, body) => response.writeHead(200, { "content-type": type }).end(body);
		if (url.pathname === "/") {
			const language = url.searchParams.get("language") ?? "en";
			const words = language === "en" ? undefined : await readFile(bundleOf(language), "utf8");
			const bundle = url.searchParams.get("bundle") ?? "webview";
			return send(
				TYPES[".html"],
				page(url.searchParams.get("theme") ?? "dark", Number(url.searchParams.get("width")), language, words, bundle),
			);
		}
		if (url.pathname === "/favicon.ico") return response.writeHead(204).end();
		if (url.pathname === "/theme.css") return send(TYPES[".css"], styleSheet(...url.search.slice(1).split(",")));
		if (url.pathname === "/host.js") return send(TYPES[".js"], HOST);
		const body = await readFile(join(outdir, url.pathname.slice(1))).catch(() => undefined);
		if (body) return send(TYPES[extname(url.pathname)] ?? "text/plain", body);
		return response.writeHead(404).end();
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return { url: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((resolve) => server.close(resolve)) };
}

export async function openBrowser() {
	const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
	return await chromium.launch({ executablePath, args: FLAGS.split(" ") });
}

/**
 * A page with the chat in it, or with the bundle that is named. `errors` and `requests` fill with what should not happen.
 * `before`: what the person does before the page's script is there.
 */
export async function openChat(
	browser,
	url,
	{ theme = "dark", width = 380, height = 900, language = "en", bundle = "webview", before, ...options } = {},
) {
	const context = await browser.newContext({
		viewport: { width, height },
		deviceScaleFactor: options.scale ?? 1,
		locale: "en-GB",
		timezoneId: "UTC",
		...options,
	});
	const chat = await context.newPage();
	const errors = [];
	const requests = [];
	const own = new URL(url).origin;
	chat.on("pageerror", (error) => errors.push(String(error)));
	chat.on("console", (message) => message.type() === "error" && errors.push(message.text()));
	chat.on("dialog", (dialog) => {
		errors.push(`dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	context.on("request", (request) => {
		if (!request.url().startsWith(own) && !request.url().startsWith("data:")) requests.push(request.url());
	});
	let letScript = () => undefined;
	const acted = new Promise((resolve) => {
		letScript = resolve;
	});
	if (before) await chat.route("**/webview.js", (route) => acted.then(() => route.continue()));
	const opened = chat.goto(`${url}?theme=${theme}&width=${width}&language=${language}&bundle=${bundle}`);
	await before?.(chat);
	letScript();
	await opened;
	await chat.waitForFunction(() => window.posted.some((message) => message.type === "ready"));
	/** Sends, and waits until the page shows it: what comes from the host is drawn once a frame. */
	const send = (update) =>
		chat.evaluate(
			(sent) =>
				new Promise((shown) => {
					const frames = () => requestAnimationFrame(() => requestAnimationFrame(() => shown()));
					window.addEventListener("message", frames, { once: true });
					window.postMessage(sent, "*");
				}),
			update,
		);
	const sendAll = (updates) =>
		chat.evaluate((sent) => {
			for (const update of sent) window.postMessage(update, "*");
		}, updates);
	const postedBut = (aside) => chat.evaluate((types) => window.posted.splice(0).filter(({ type }) => !types.includes(type)), aside);
	/** What the page posted since the last call; not what it says and asks by itself, at its own time. */
	const posted = () => postedBut(["focused", "findPaths"]);
	const postedPaths = () => postedBut(["focused"]);
	return { chat, context, send, sendAll, posted, postedPaths, errors, requests };
}

/** Shows a snapshot in the chat; what the page posted until then is forgotten. */
export async function showIn(page, update) {
	await page.send(update);
	await page.chat.waitForSelector(".content > :last-child");
	await page.posted();
	return page;
}
