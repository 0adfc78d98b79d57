// Finds Chrome or Chromium for tests: an installed one, Playwright's download, or Debian's package.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { canInstallPackages, installPackage } from "./debianPackages.mjs";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const places = {
	darwin: [
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	],
	win32: ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].flatMap((name) => {
		const base = process.env[name];
		return base ? [join(base, "Google/Chrome/Application/chrome.exe"), join(base, "Microsoft/Edge/Application/msedge.exe")] : [];
	}),
};

const asRoot = process.getuid?.() === 0;

/** In each window, Chromium would draw the lists below its address bar as pages, which costs more than the page that is tested. */
const ADDRESS_BAR_PAGES = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];

/** Chromium takes the last list only, so those that Playwright disables are repeated here. */
export const disabledFeatures = [
	...ADDRESS_BAR_PAGES,
	// A process that waits for a page that no test opens.
	"SpareRendererForSitePerProcess",
	"AvoidUnnecessaryBeforeUnloadCheckSync",
	"DestroyProfileOnBrowserClose",
	"HttpsUpgrades",
	"HttpsFirstBalancedModeAutoEnable",
	"LensOverlay",
	"MediaRouter",
	"PaintHolding",
	"ThirdPartyStoragePartitioning",
	"AvoidCorsURLLoaderRestartOnRedirect",
	"TcpPortRandomizationWin",
	"OptimizationHints",
	"NetworkTimeServiceQuerying",
	"AimEnabled",
	"PreconnectToSearch",
	"msForceBrowserSignIn",
	"msEdgeUpdateLaunchServicesPreferredVersion",
];

/** Chromium has no sandbox as root; the other arguments disable background network access and what no test needs. */
export const browserArguments = [
	...(asRoot ? ["--no-sandbox"] : []),
	`--disable-features=${disabledFeatures.join(",")}`,
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

/** Returns a browser's path. Throws with instructions if there is none and none can be installed. */
export async function ensureBrowser({ say = console.log } = {}) {
	const found = await findBrowser();
	if (found) return found;
	if (canInstallPackages) {
		say("Installing Chromium (apt-get install chromium, about half a minute) …");
		await installPackage("chromium");
		const installed = await findBrowser();
		if (installed) return installed;
	}
	throw new Error(
		[
			"These tests drive VS Code in a browser, and no Chrome or Chromium was found on this machine.",
			"Install one of:",
			"  Debian, Ubuntu   sudo apt-get install chromium",
			"  macOS            brew install --cask chromium (or Google Chrome)",
			"  anywhere         npx playwright-core install chromium",
			"or set CHROME_PATH to the program.",
		].join("\n"),
	);
}

async function findBrowser() {
	const named = process.env["CHROME_PATH"];
	if (named) {
		if (existsSync(named)) return named;
		throw new Error(`CHROME_PATH names ${named}, which does not exist. Set it to a Chrome or Chromium, or unset it.`);
	}
	const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
	const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)));
	const playwright = await import("playwright-core").then(
		({ chromium }) => [chromium.executablePath()],
		() => [],
	);
	return [...onPath, ...(places[process.platform] ?? []), ...playwright].find((path) => path && existsSync(path));
}
