// Tests the active extension in a real editor: its exported API and its registered commands.
import assert from "node:assert/strict";
import { commands, extensions } from "vscode";
import type { TroupeApi } from "../../src/api.ts";

const names = [
	"open",
	"openInEditor",
	"newSession",
	"switchAgent",
	"switchRole",
	"executePlan",
	"cancel",
	"approve",
	"deny",
	"renameSession",
	"pinSession",
	"clearSession",
	"deleteSession",
	"exportSession",
	"importSession",
	"selectModel",
	"setApiKey",
	"manageAgents",
	"manageGrants",
	"addSelection",
	"showLog",
];

async function activate(): Promise<TroupeApi> {
	const extension = extensions.getExtension<TroupeApi>("troupe.troupe");
	assert.ok(extension, "the extension troupe.troupe is installed");
	return extension.activate();
}

describe("the active extension", () => {
	it("exports version 1 of its API", async () => {
		assert.equal((await activate()).apiVersion, 1);
	});

	it("has registered every command", async () => {
		await activate();
		const registered = new Set(await commands.getCommands(true));
		assert.deepEqual(
			names.filter((name) => !registered.has(`troupe.${name}`)),
			[],
		);
	});
});
