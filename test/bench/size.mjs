// Measures the size of the .vsix and of the chat page's script.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/install.mjs";

export async function measureSize({ vsix }) {
	const kilobytes = async (path) => (await stat(path)).size / 1_000;
	return [
		{ name: "the .vsix", unit: "kB", value: await kilobytes(vsix), reach: { value: 4_000 } },
		{ name: "dist/webview.js", unit: "kB", value: await kilobytes(join(root, "dist", "webview.js")), reach: { value: 400 } },
	];
}
