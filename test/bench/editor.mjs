// Starts VS Code with a measurement's extensions and opens windows, each with its own folder and extension host.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/install.mjs";
import { run } from "../../scripts/processes.mjs";
import { copySample } from "../../scripts/sample.mjs";
import { installExtensions, startServer, workbenchUrl } from "../../scripts/server.mjs";
import { extensionHosts, within } from "./processes.mjs";

/** Troupe and its floor, as they are found in the window. */
export const subjects = {
	troupe: { extension: "troupe.troupe", title: "Troupe" },
	floor: { extension: "bench.floor", title: "Floor" },
};

/** Packs one of the extensions beside this file. */
export async function packFloor(name, scratch) {
	const packagePath = join(scratch, `${name}.vsix`);
	const vsce = join(root, "node_modules", "@vscode", "vsce", "vsce");
	const leave = ["--no-dependencies", "--allow-missing-repository", "--allow-star-activation", "--skip-license"];
	await run(process.execPath, [vsce, "package", "--out", packagePath, ...leave], { cwd: join(root, "test", "bench", name) });
	return packagePath;
}

/** `packages` are .vsix files; `environment` is what the extension host gets besides. */
export async function startEditor({ browser, scratch, packages, settings = {}, environment = {} }) {
	const home = await mkdtemp(join(scratch, "editor-"));
	const [userDataDir, extensionsDir] = [join(home, "profile"), join(home, "extensions")];
	await installExtensions({ files: packages, extensionsDir, userDataDir });
	// Settings of machine scope are read from here; the others from the person's.
	await mkdir(join(userDataDir, "Machine"), { recursive: true });
	await writeFile(join(userDataDir, "Machine", "settings.json"), JSON.stringify(settings));
	const server = await startServer({ mode: "person", extensionsDir, userDataDir, settings, environment });
	// One browser profile: what a browser keeps between two visits is there, as it is for a person.
	const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
	const show = async (page, folder) => {
		const earlier = new Set(await extensionHosts(server.pid));
		await page.goto(workbenchUrl(server.origin, folder));
		const host = await within(60_000, "no extension host was started", async () =>
			(await extensionHosts(server.pid)).find((pid) => !earlier.has(pid)),
		);
		await page.locator(".activitybar").waitFor({ timeout: 60_000 });
		return host;
	};
	return {
		/** A new window on a folder nobody has opened before; `sample` makes it a copy of the sample workspace. */
		async open({ sample = false, prepare } = {}) {
			const folder = sample ? await copySample(await mkdtemp(join(home, "folder-"))) : await smallFolder(home);
			const page = await context.newPage();
			await prepare?.(page, folder);
			const host = await show(page, folder);
			return { page, folder, host, close: () => closeWindow(server.pid, { page, folder, host }) };
		},
		/** The same window on the same folder, after something was done while it was away. */
		async reopen({ page, folder, host }, between) {
			await leave(server.pid, page, host);
			await between();
			const next = await show(page, folder);
			return { page, folder, host: next, close: () => closeWindow(server.pid, { page, folder, host: next }) };
		},
		userDataDir,
		async stop() {
			await context.close();
			await server.stop();
			await rm(home, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

/** Leaves the page as a person does, so that VS Code ends what belonged to it. */
async function closeWindow(server, { page, folder, host }) {
	await leave(server, page, host);
	await page.close();
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function leave(server, page, host) {
	await page.goto("about:blank");
	await within(20_000, `extension host ${host} did not end`, async () => !(await extensionHosts(server)).includes(host)).catch(() => {
		process.kill(host, "SIGKILL");
	});
}

async function smallFolder(home) {
	const folder = await mkdtemp(join(home, "folder-"));
	await mkdir(join(folder, "src"));
	await writeFile(join(folder, "src", "hello.ts"), 'console.log("Hello");\n');
	return folder;
}

/** The icon in the activity bar. */
export function viewIcon(page, { title }) {
	return page.locator(".activitybar").getByRole("tab", { name: title, exact: true });
}

/** The chat's textbox: in a page of the extension's, within one of VS Code's own. */
export function textbox(page, { extension }) {
	const outer = page.frameLocator(`iframe.webview[src*="extensionId=${extension}"]`);
	return outer.frameLocator("#active-frame").getByRole("textbox", { name: "Message", exact: true });
}
