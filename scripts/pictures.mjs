// Generates the tab icons, media/icon.png and docs/gate.png from their SVG sources.

// `node scripts/pictures.mjs`; requires Chromium. The tab icons and media/icon.png come from media/troupe.svg,
// docs/gate.png from docs/gate.svg.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { browserArguments, ensureBrowser } from "./browser.mjs";
import { root } from "./install.mjs";

const ICON = { size: 256, background: "#1f2a44", color: "#f4f6fb" };
/** VS Code's colors for tab icons. */
const TABS = { dark: "#c5c5c5", light: "#424242" };

const icon = await readFile(join(root, "media", "troupe.svg"), "utf8");
for (const [theme, color] of Object.entries(TABS))
	await writeFile(join(root, "media", `tab-${theme}.svg`), icon.replaceAll("currentColor", color));

const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: browserArguments });
try {
	const drawing = icon.replace('width="24" height="24"', 'width="176" height="176"');
	await draw("media/icon.png", { width: ICON.size, height: ICON.size }, [
		`<body style="margin:0"><div style="display:grid;place-items:center;width:256px;height:256px;border-radius:48px;`,
		`background:${ICON.background};color:${ICON.color}">${drawing}</div>`,
	]);
	const gate = await readFile(join(root, "docs", "gate.svg"), "utf8");
	const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(gate) ?? [];
	await draw("docs/gate.png", { width: Number(width), height: Number(height) }, [`<body style="margin:0;background:#fff">${gate}`], 2);
} finally {
	await browser.close();
}

async function draw(file, viewport, html, deviceScaleFactor = 1) {
	const page = await browser.newPage({ viewport, deviceScaleFactor });
	await page.setContent(html.join(""));
	await writeFile(join(root, file), await page.screenshot({ omitBackground: true }));
	await page.close();
}
