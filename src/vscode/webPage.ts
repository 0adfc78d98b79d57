// Our pages behind glass: nothing but our own script and style may run or load in them.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { words } from "./words.ts";

/** What a page posts to. */
export interface Receiver<Page> {
	page: Page;
	receive(message: unknown): void;
}

/** `bundle`: the name of its script and style in dist/. `early`: what it shows before the script is there, and a script that goes with that. */
interface PageParts {
	bundle: string;
	early?: { body: string; script: string };
}

/**
 * Shows a page; what it says before there is somebody to answer it waits. `load` hears when the page has said its first word.
 * Where it cannot be answered the person is told why, and the promise rejects.
 */
export function showPage<Page>(
	webview: vscode.Webview,
	extensionUri: vscode.Uri,
	parts: PageParts,
	load: (there: Promise<void>) => Promise<Receiver<Page>>,
): Promise<Page> {
	webview.options = pageOptions(extensionUri);
	webview.html = html(webview, extensionUri, parts);
	let spoken = (): void => undefined;
	const loading = load(
		new Promise((resolve) => {
			spoken = resolve;
		}),
	);
	webview.onDidReceiveMessage((message: unknown) => {
		spoken();
		whenThere(loading, ({ receive }) => receive(message));
	});
	const page = loading.then((loaded) => loaded.page);
	page.catch((error: unknown) => {
		void import("./failure.ts").then(({ showUnopened }) => showUnopened(error));
	});
	return page;
}

/** Nothing is done for a page that never came to be. */
export function whenThere<Page>(page: Promise<Page>, act: (page: Page) => void): void {
	page.then(act, () => undefined);
}

function html(webview: vscode.Webview, extensionUri: vscode.Uri, { bundle, early }: PageParts): string {
	const nonce = randomBytes(16).toString("base64url");
	const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, "dist", name)).toString();
	const policy = [
		"default-src 'none'",
		`img-src ${webview.cspSource} data:`,
		`script-src 'nonce-${nonce}'`,
		`style-src ${webview.cspSource}`,
		`font-src ${webview.cspSource}`,
		"connect-src 'none'",
		"form-action 'none'",
		"frame-src 'none'",
		"base-uri 'none'",
	].join("; ");
	return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Troupe</title>
<link rel="stylesheet" href="${asset(`${bundle}.css`)}">
</head>
<body>
<div id="root">${early?.body ?? ""}</div>
${early ? `<script nonce="${nonce}">${early.script}</script>` : ""}
${words ? `<script id="words" type="application/json" nonce="${nonce}">${JSON.stringify(words).replaceAll("<", "\\u003c")}</script>` : ""}
<script nonce="${nonce}" src="${asset(`${bundle}.js`)}"></script>
</body>
</html>`;
}

/** Scripts run, commands do not, and nothing is loaded from anywhere but our own files. */
export function pageOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
	return {
		enableScripts: true,
		enableCommandUris: false,
		enableForms: false,
		localResourceRoots: ["dist", "media"].map((folder) => vscode.Uri.joinPath(extensionUri, folder)),
	};
}

/** Drawn in the tab as it is: only there an icon takes no colour of the theme. */
export function tabIcon(extensionUri: vscode.Uri): { light: vscode.Uri; dark: vscode.Uri } {
	const [light, dark] = ["tab-light.svg", "tab-dark.svg"].map((name) => vscode.Uri.joinPath(extensionUri, "media", name)) as [
		vscode.Uri,
		vscode.Uri,
	];
	return { light, dark };
}
