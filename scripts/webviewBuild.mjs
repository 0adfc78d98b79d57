// Bundles the chat and "Manage Agents" webviews, the same way for the extension and for webview tests.
import { createRequire } from "node:module";

const codicons = createRequire(import.meta.url)("@vscode/codicons/dist/metadata.json");

/** Search words for icons by name, without those that the name contains; a third of the package's metadata. */
function iconWords() {
	const entries = Object.keys(codicons)
		.sort()
		.map((name) => {
			const { tags, description } = codicons[name];
			const all = [...tags, description].flatMap((words) => words.toLowerCase().split(/[^a-z0-9]+/));
			const own = [...new Set(all)].filter((word) => !name.includes(word));
			return [name, own.filter((word) => !own.some((other) => other !== word && other.startsWith(word))).join(" ")];
		});
	return JSON.stringify(Object.fromEntries(entries));
}

/** @type {import("esbuild").BuildOptions} */
export const webviewBuild = {
	entryPoints: { webview: "webview-ui/main.tsx", agents: "webview-ui/agents/main.tsx" },
	outdir: "dist",
	bundle: true,
	format: "iife",
	platform: "browser",
	target: "chrome120",
	jsx: "automatic",
	jsxImportSource: "preact",
	minify: true,
	metafile: true,
	define: { ICON_WORDS: iconWords() },
	loader: { ".ttf": "file" },
	assetNames: "[name]",
	logLevel: "warning",
};
