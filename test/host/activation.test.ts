// Tests the active extension in a real editor: its exported API and its registered commands.
import assert from "node:assert/strict";
import { commands, extensions } from "vscode";
import type { TroupeApi } from "../../src/api.ts";

async function activate(): Promise<TroupeApi> {
	const extension = extensions.getExtension<TroupeApi>("troupe.troupe");
	assert.ok(extension, "the extension troupe.troupe is installed");
	return extension.activate();
}

describe("the active extension", () => {
	it("the extension exports version 1 of its API", async () => {
		assert.equal((await activate()).apiVersion, 1);
	});

	it("every command in the manifest is registered as soon as the extension is active", async () => {
		await activate();
		const registered = new Set(await commands.getCommands(true));
		const manifest = extensions.getExtension("troupe.troupe")?.packageJSON as { contributes: { commands: { command: string }[] } };
		const named = manifest.contributes.commands.map(({ command }) => command);
		assert.ok(named.length > 70);
		assert.deepEqual(
			named.filter((command) => !registered.has(command)),
			[],
		);
	});
});
