// How the pages, the chat and "Manage Agents", are bundled: the same for the extension and for the tests of the page alone.

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
	loader: { ".ttf": "file" },
	assetNames: "[name]",
	logLevel: "warning",
};
