// Builds the extension and the webviews. The extension is split along its dynamic imports, so that activation loads only what it
// needs. esbuild splits only ES modules, but the extension host requires CommonJS: hence two passes.

import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";
import { asFiles, extensionBuild } from "./scripts/extensionBuild.mjs";
import { thirdPartyNotices } from "./scripts/notices.mjs";
import { copyParser } from "./scripts/parserAssets.mjs";
import { webviewBuild } from "./scripts/webviewBuild.mjs";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");
const watch = process.argv.includes("--watch");

const toCommonJs = {
	name: "to-commonjs",
	setup(pluginBuild) {
		pluginBuild.onEnd(async (result) => {
			if (result.errors.length > 0) return;
			await mkdir(dist, { recursive: true });
			for (const [name, code] of await asFiles(result, "extension.js")) await writeFile(join(dist, name), code);
			await writeFile(join(dist, "meta.json"), JSON.stringify(result.metafile));
		});
	},
};

const extension = {
	absWorkingDir: root,
	entryPoints: { extension: "src/extension.ts" },
	outdir: "dist",
	...extensionBuild,
	plugins: [toCommonJs],
};

const webview = { ...webviewBuild, absWorkingDir: root };

if (watch) {
	await copyParser(dist);
	await Promise.all([extension, webview].map(async (options) => (await context(options)).watch()));
} else {
	await rm(dist, { recursive: true, force: true });
	await copyParser(dist);
	const built = await Promise.all([build(extension), build(webview)]);
	await writeFile(
		join(root, "THIRD_PARTY_NOTICES.md"),
		await thirdPartyNotices(
			built.map(({ metafile }) => metafile),
			root,
		),
	);
	const sizes = await Promise.all(
		(await readdir(dist)).filter((name) => name.endsWith(".js")).map(async (name) => [name, (await readFile(join(dist, name))).length]),
	);
	for (const [name, size] of sizes.sort((a, b) => b[1] - a[1]))
		console.log(`${String(Math.round(size / 1000)).padStart(6)} kB  dist/${name}`);
}
