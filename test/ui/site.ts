// Builds the webview and serves it under the content security policy that it has in VS Code.
import { rmSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { build } from "esbuild";
import { webviewBuild } from "../../scripts/webviewBuild.mjs";
import { createEarlyComposer } from "../../src/shared/earlyComposer.ts";
import { isTheme, styleSheet, type Theme, themes } from "./themes/themes.ts";

export type Bundle = "webview" | "agents";

/** Of this process: several may run at a time. */
const outdir = join("out", "ui", `site-${process.pid}`);
process.on("exit", () => rmSync(outdir, { recursive: true, force: true }));
const TYPES: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css", ".ttf": "font/ttf" };
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

/** Resolves with the sizes of the built files, in bytes by name. */
export async function buildSite(): Promise<Readonly<Record<string, number>>> {
	await rm(outdir, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	const { metafile } = await build({ ...webviewBuild, outdir });
	return Object.fromEntries(Object.entries(metafile.outputs).map(([name, { bytes }]) => [name.replace(/.*\//, ""), bytes]));
}

interface PageOptions {
	theme: Theme;
	width: number;
	language: string;
	/** Of the display language; English needs none. */
	translations: string | undefined;
	bundle: Bundle;
}

function pageHtml({ theme, width, language, translations, bundle }: PageOptions): string {
	const surface = width > 600 || bundle === "agents" ? "editor-background" : "sideBar-background";
	const early = bundle === "webview" ? createEarlyComposer() : undefined;
	const script = early && `<script nonce="page">${early.script}\ndocument.getElementById("early").remove();</script>`;
	return [
		`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>Troupe</title>`,
		`<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
		early && `<style id="early" nonce="page">${early.style}</style>`,
		`<link rel="stylesheet" href="/theme.css?${theme},${surface}"><link rel="stylesheet" href="/${bundle}.css"></head>`,
		`<body class="${themes[theme].body}"><div id="root">${early?.body ?? ""}</div><script nonce="page" src="/host.js"></script>`,
		script,
		translations && `<script id="words" type="application/json" nonce="page">${translations.replaceAll("<", "\\u003c")}</script>`,
		`<script nonce="page" src="/${bundle}.js"></script></body></html>`,
	]
		.filter(Boolean)
		.join("");
}

const HOST = `
window.posted = []; let kept = JSON.parse(sessionStorage.getItem("kept") ?? "null") ?? undefined; let taken = false;
window.acquireVsCodeApi = () => {
	if (taken) throw new Error("taken already"); taken = true;
	const acknowledge = (number) => { window.postMessage({ type: "acknowledged", number }, "*"); };
	return { postMessage: ({ number, intent }) => { window.posted.push(structuredClone(intent)); window.holds ? window.holds.push(() => acknowledge(number)) : acknowledge(number); }, getState: () => kept,
		setState: (state) => { kept = state; sessionStorage.setItem("kept", JSON.stringify(state)); } };
};`;

export const translationsOf = (language: string): string => join("l10n", `bundle.l10n.${language}.json`);

export interface Site {
	url: string;
	close(): Promise<void>;
}

export async function serveSite(): Promise<Site> {
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? "/", "http://127.0.0.1");
		const send = (type: string, body: string | Buffer) => response.writeHead(200, { "content-type": type }).end(body);
		if (url.pathname === "/") return send("text/html", await requestedPage(url.searchParams));
		if (url.pathname === "/favicon.ico") return response.writeHead(204).end();
		if (url.pathname === "/theme.css") {
			const [theme = "", surface = ""] = url.search.slice(1).split(",");
			return send("text/css", styleSheet(isTheme(theme) ? theme : "dark", surface));
		}
		if (url.pathname === "/host.js") return send("text/javascript", HOST);
		const body = await readFile(join(outdir, url.pathname.slice(1))).catch(() => undefined);
		if (body) return send(TYPES[extname(url.pathname)] ?? "text/plain", body);
		return response.writeHead(404).end();
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/`, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function requestedPage(parameters: URLSearchParams): Promise<string> {
	const language = parameters.get("language") ?? "en";
	const theme = parameters.get("theme") ?? "dark";
	return pageHtml({
		theme: isTheme(theme) ? theme : "dark",
		width: Number(parameters.get("width")),
		language,
		translations: language === "en" ? undefined : await readFile(translationsOf(language), "utf8"),
		bundle: parameters.get("bundle") === "agents" ? "agents" : "webview",
	});
}
