// Starts VS Code's server on 127.0.0.1, as the regular workbench or for extension host tests.

// Mode "person" serves the regular workbench; mode "test" can run tests in its extension host. All processes end with `stop()`,
// or at the latest with this process.

import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ensureInstalled, vscodeFromNpm } from "./install.mjs";
import { cleanEnvironment, freePort, keep, run } from "./processes.mjs";

/** Settings without tours, built-in chat, and network access. */
export const quietSettings = {
	"chat.disableAIFeatures": true,
	"workbench.colorTheme": "Dark Modern",
	"workbench.secondarySideBar.defaultVisibility": "hidden",
	"workbench.startupEditor": "none",
	"workbench.tips.enabled": false,
	"workbench.welcomePage.walkthroughs.openOnInstall": false,
	"window.title": "\x24{dirty}\x24{activeEditorShort}\x24{separator}\x24{rootName}",
	"telemetry.telemetryLevel": "off",
	"extensions.autoUpdate": false,
	"extensions.autoCheckUpdates": false,
	"extensions.ignoreRecommendations": true,
	"update.mode": "none",
	"git.openRepositoryInParentFolders": "never",
	"files.simpleDialog.enable": true,
};

/** Extensions that come with VS Code and that tests of Troupe need; the others would only cost time. */
const NEEDED = ["configuration-editing", "diff", "git", "git-base", "javascript", "json", "markdown-basics", "media-preview"];
const NEEDED_FOR_TYPESCRIPT = ["typescript-basics", "typescript-language-features", "node_modules"];
const NEEDED_FOR_LOOKS = ["theme-defaults", "theme-seti"];

const commandLine = {
	test: ({ port, extensionsDir, userDataDir, trust }) => [
		vscodeFromNpm.server,
		...["--host", "127.0.0.1", "--port", String(port), "--without-connection-token", "--accept-server-license-terms"],
		...["--enable-smoke-test-driver", "--telemetry-level", "off", "--server-data-dir", join(userDataDir, "server")],
		...["--user-data-dir", userDataDir, "--extensions-dir", extensionsDir],
		...(trust ? ["--disable-workspace-trust"] : []),
	],
	person: ({ port, extensionsDir, userDataDir, trust }) => [
		vscodeFromNpm.entry,
		...["--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--disable-telemetry", "--disable-update-check"],
		...["--disable-getting-started-override", "--config", join(userDataDir, "config.yaml"), "--ignore-last-opened"],
		...["--user-data-dir", userDataDir, "--extensions-dir", extensionsDir],
		...(trust ? ["--disable-workspace-trust"] : []),
	],
};

/**
 * Resolves once the workbench is served. `url` opens `folder`; `origin` is for other folders (`?folder=/absolute/path`). `trust:
 * false` opens the window in Restricted Mode, as VS Code does for unknown folders. `isLean` leaves out extensions of VS Code's own that
 * no test needs.
 */
export async function startServer({
	folder,
	extensionsDir,
	userDataDir,
	settings = {},
	mode = "person",
	port: wanted,
	trust = true,
	environment = {},
	isLean = false,
	onOutput,
}) {
	await ensureInstalled();
	await prepareProfile({ userDataDir, extensionsDir, settings });
	const port = wanted ?? (await freePort());
	const lean = isLean ? ["--builtin-extensions-dir", await linkNeededExtensions(userDataDir)] : [];
	let printed = "";
	const server = keep(vscodeFromNpm.node, [...commandLine[mode]({ port, extensionsDir, userDataDir, trust }), ...lean], {
		env: { ...cleanEnvironment(), ...environment },
		onOutput(text) {
			printed = (printed + text).slice(-10_000);
			onOutput?.(text);
		},
	});
	const origin = `http://127.0.0.1:${port}`;
	const died = server.gone.then((how) => {
		throw new Error(`VS Code's server ended (${how}) before it answered:\n${printed.trim()}`);
	});
	const answered = new AbortController();
	try {
		await Promise.race([untilAnswered(origin, answered.signal), died]);
	} catch (error) {
		await server.stop();
		throw error;
	} finally {
		answered.abort();
	}
	died.catch(() => undefined);
	let isStopping = false;
	const stop = () => {
		isStopping = true;
		return server.stop();
	};
	// Otherwise every later test fails without saying why.
	void server.gone.then((how) => isStopping || console.error(`VS Code's server ended (${how}):\n${printed.trim()}`));
	return { origin, url: folder ? workbenchUrl(origin, folder) : origin, pid: server.pid, gone: server.gone, stop };
}

export function workbenchUrl(origin, folder, payload) {
	const query = payload ? `&payload=${encodeURIComponent(JSON.stringify(payload))}` : "";
	return `${origin}/?folder=${encodeURIComponent(folder)}${query}`;
}

/** Installs .vsix files into the given folder. */
export async function installExtensions({ files, extensionsDir, userDataDir }) {
	await ensureInstalled();
	await mkdir(userDataDir, { recursive: true });
	await run(
		vscodeFromNpm.node,
		[
			vscodeFromNpm.entry,
			...["--config", join(userDataDir, "config.yaml"), "--user-data-dir", userDataDir],
			...["--extensions-dir", extensionsDir, "--force", ...files.flatMap((file) => ["--install-extension", file])],
		],
		{ env: cleanEnvironment() },
	);
}

async function linkNeededExtensions(userDataDir) {
	const folder = join(userDataDir, "builtIn");
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	for (const name of [...NEEDED, ...NEEDED_FOR_TYPESCRIPT, ...NEEDED_FOR_LOOKS])
		await symlink(join(vscodeFromNpm.extensions, name), join(folder, name));
	return folder;
}

/** Creates a profile's folders, with the quiet settings and the given ones. */
export async function prepareProfile({ userDataDir, extensionsDir, settings }) {
	await mkdir(extensionsDir, { recursive: true });
	await mkdir(join(userDataDir, "User"), { recursive: true });
	await writeFile(join(userDataDir, "User", "settings.json"), JSON.stringify({ ...quietSettings, ...settings }, undefined, "\t"));
}

async function untilAnswered(origin, signal) {
	const deadline = Date.now() + 60_000;
	while (!signal.aborted) {
		if (await answers(origin)) return;
		if (Date.now() > deadline) throw new Error(`VS Code's server at ${origin} did not answer within a minute.`);
		await pause(100);
	}
}

function answers(origin) {
	return new Promise((resolve) => {
		get(origin, (response) => {
			response.resume();
			resolve((response.statusCode ?? 500) < 400);
		}).on("error", () => resolve(false));
	});
}
