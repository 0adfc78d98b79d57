// Loads webview pages under a policy that allows only our own scripts and styles.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { type Acknowledgment, type NumberedIntent, readNumbered } from "../../shared/protocol/numbered.ts";
import { translations } from "../loadTranslations.ts";

/** A page and the handler of its intents, which resolves once the updates that an intent caused are posted. */
export interface LoadedPage<Page> {
	page: Page;
	handleIntent(intent: unknown): Promise<void>;
}

/** `bundle`: base name of its script and style in dist/. `early`: content shown before they load. */
interface PageParts {
	bundle: string;
	early?: { style: string; body: string; script: string };
}

/**
 * Shows a page and queues its messages until `load` resolves. `load` receives a promise of the page's first message. If loading
 * fails, the user is told why and the promise rejects.
 */
export function loadPage<Page>(
	webview: vscode.Webview,
	extensionUri: vscode.Uri,
	parts: PageParts,
	load: (there: Promise<void>) => Promise<LoadedPage<Page>>,
): Promise<Page> {
	webview.options = webviewOptions(extensionUri);
	webview.html = html(webview, extensionUri, parts);
	let resolveReady = (): void => undefined;
	const loading = load(
		new Promise((resolve) => {
			resolveReady = resolve;
		}),
	);
	webview.onDidReceiveMessage((message: unknown) => {
		resolveReady();
		const numbered = readNumbered(message);
		if (numbered) whenLoaded(loading, (loaded) => void acknowledge(webview, numbered, loaded.handleIntent(numbered.intent)));
	});
	const page = loading.then((loaded) => loaded.page);
	page.catch((error: unknown) => {
		void import("../errorNotifications.ts").then(({ showWebviewLoadError }) => showWebviewLoadError(error));
	});
	return page;
}

/** Whatever became of the intent, the page hears that it is over, unless it is gone. */
async function acknowledge(webview: vscode.Webview, { number }: NumberedIntent, handled: Promise<void>): Promise<void> {
	await handled.catch(() => undefined);
	await Promise.resolve(webview.postMessage({ type: "acknowledged", number } satisfies Acknowledgment)).catch(() => undefined);
}

/** Does nothing if the page failed to load. */
export function whenLoaded<Page>(page: Promise<Page>, act: (page: Page) => void): void {
	page.then(act, () => undefined);
}

function html(webview: vscode.Webview, extensionUri: vscode.Uri, { bundle, early }: PageParts): string {
	const nonce = randomBytes(16).toString("base64url");
	const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", name)).toString();
	const policy = [
		"default-src 'none'",
		`img-src ${webview.cspSource} data:`,
		`script-src 'nonce-${nonce}'`,
		`style-src ${webview.cspSource}${early ? ` 'nonce-${nonce}'` : ""}`,
		`font-src ${webview.cspSource}`,
		"connect-src 'none'",
		"form-action 'none'",
		"frame-src 'none'",
		"base-uri 'none'",
	].join("; ");
	const [style, script] = [asset(`${bundle}.css`), asset(`${bundle}.js`)];
	const link = `<link rel="stylesheet" href="${style}">`;
	const inJson = (value: unknown) => JSON.stringify(value).replaceAll("<", "\\u003c");
	return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Troupe</title>
${early ? `<style id="early" nonce="${nonce}">${early.style}</style>` : link}
</head>
<body>
<div id="root">${early?.body ?? ""}</div>
${translations ? `<script id="words" type="application/json" nonce="${nonce}">${inJson(translations)}</script>` : ""}
${
	early
		? `<script nonce="${nonce}">${early.script}\n(${loadAfter})(${inJson(style)}, ${inJson(script)}, "${nonce}");</script>`
		: `<script nonce="${nonce}" src="${script}"></script>`
}
</body>
</html>`;
}

/** Runs in the page. The editor shows a page after its load event, so until then only the early content is there. */
const loadAfter = `(style, script, nonce) => addEventListener("load", () => setTimeout(() => {
	const add = (tag, parts) => document.head.append(Object.assign(document.createElement(tag), parts));
	const run = () => add("script", { src: script, nonce });
	add("link", { rel: "preload", as: "script", href: script, nonce });
	const styled = () => {
		document.getElementById("early")?.remove();
		run();
	};
	add("link", { rel: "stylesheet", href: style, onload: styled, onerror: run });
}))`;

/** Allows scripts, but no command URIs and no resources except our own files. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
	return {
		enableScripts: true,
		enableCommandUris: false,
		enableForms: false,
		localResourceRoots: ["dist", "media"].map((folder) => vscode.Uri.joinPath(extensionUri, folder)),
	};
}

/** A tab draws its icon as is, without theme colors. */
export function tabIcon(extensionUri: vscode.Uri): { light: vscode.Uri; dark: vscode.Uri } {
	const [light, dark] = ["tab-light.svg", "tab-dark.svg"].map((name) => vscode.Uri.joinPath(extensionUri, "media", name)) as [
		vscode.Uri,
		vscode.Uri,
	];
	return { light, dark };
}
