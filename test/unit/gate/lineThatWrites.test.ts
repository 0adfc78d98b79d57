// Approvals that last cover what was shown, also where a line changes files before it goes on.
import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import { command, grant, makeWorld, type World } from "./world.ts";

/** What the gate says of a line once each of the other lines was approved for good. */
async function approving(world: World, approved: readonly string[], text: string): Promise<string> {
	const grants = [];
	for (const one of approved) {
		const found = await command(world, one);
		assert.ok(found.grants.length > 0, `${one}: ${found.reason}`);
		for (const each of found.grants) grants.push({ ...grant(each.tool, each.class, each.scriptsHash), ...each });
	}
	return (await command(world, text, { grants })).decision;
}

describe("an approval that lasts", () => {
	let world: World;
	before(async () => {
		world = await makeWorld({
			"other/notes.md": "s",
			"ws/a": "a",
			"ws/dir/x": "x",
			"ws/other/t": "t",
			"ws/sub/c": "c",
			"ws/package.json": '{"scripts":{"test":"true"},"workspaces":["packages/*"]}',
			"ws/packages/p/package.json": '{"scripts":{"test":"evil"}}',
			"ws/node_modules/.bin/prettier": "",
			"ws/node_modules/.bin/tsc": "",
			"ws/node_modules/.bin/eslint": "",
			"ws/node_modules/.bin/jest": "",
			"ws/script.js": "1",
			"ws/evil.js": "2",
			"ws/tool": "#!/bin/sh",
			"ws/deep/tsconfig.json": "{}",
			"ws/Makefile": "include mk/a.mk\n",
			"ws/mk/a.mk": "include b.mk\n",
			"ws/secrets.json": "{}",
			"ws/values/secrets.json": "{}",
		});
		await symlink("../other", `${world.root}/ws/sub/l`);
		await symlink("../other", `${world.root}/ws/dir/l`);
	});
	const cases: readonly [approved: string[], text: string][] = [
		[["mv a b"], "mv sub/l l && cat l/notes.md"],
		[["mv a b", "touch a"], "mv sub/l l && touch l/new"],
		[["mv a b"], "mv dir/l . && cat l/notes.md"],
		[["cp a b"], "cp -P sub/l l && cat l/notes.md"],
		[["cp a b"], "cp -r dir/. . && cat l/notes.md"],
		[["cp a b", "node script.js"], "cp evil.js script.js && node script.js"],
		[["cp a b", "./tool x"], "cp evil.js tool && ./tool x"],
		[["mv a b", "node script.js"], "mv evil.js script.js && node script.js"],
		[["touch a"], "touch ./--output=x && sort *"],
		[["touch a"], "touch sub/--output=x && cd sub && sort *"],
		[["npm test"], "npm test -w packages/p"],
		[["npm test"], "npm test -w=packages/p"],
		[["npx tsc"], "npx tsc -b deep"],
		[["npx tsc"], "npx tsc @args"],
		[["npx prettier a"], "npx prettier values"],
		[["npx prettier a"], "npx prettier '*ecrets.json'"],
		[["npx prettier a"], "npx prettier 'values/*.json'"],
		[["foo x"], "echo evil | foo x"],
		[["foo x"], "foo x < a"],
		[["foo x"], "NODE_ENV=x foo x"],
	];
	for (const [approved, text] of cases) {
		it(`of ${approved.join(", ")} does not let ${text} go`, async () => {
			assert.notEqual(await approving(world, approved, text), "allow");
		});
	}

	const still: readonly [approved: string[], text: string][] = [
		[["mkdir a", "cp a b"], "mkdir -p dist && cp sub/* dist/"],
		[["cp a b"], "cp a b && cat b"],
		[["mv a b"], "mv a b && ls sub"],
		[["npm test"], "npm test -- -w"],
		[["npx tsc", "touch a"], "touch new.ts && npx tsc"],
		[["npx prettier --write a"], "npx prettier --write 'sub/**/*.{ts,tsx}'"],
		[["foo x < a"], "foo x < a"],
		[["echo a | CI=1 foo x"], "echo a | CI=1 foo x"],
	];
	for (const [approved, text] of still) {
		it(`of ${approved.join(", ")} lets ${text} go`, async () => {
			assert.equal(await approving(world, approved, text), "allow");
		});
	}

	it("of a tool ends when its settings in the manifest change, and stays when something else in it does", async () => {
		const manifest = `${world.root}/ws/package.json`;
		const scripts = { test: "true" };
		const [found] = (await command(world, "npx jest")).grants;
		const grants = [{ ...grant("execute_command", "npx jest"), ...found }];
		await writeFile(manifest, JSON.stringify({ scripts, version: "2" }));
		assert.equal((await command(world, "npx jest", { grants })).decision, "allow");
		await writeFile(manifest, JSON.stringify({ scripts, jest: { globalSetup: "./evil.js" } }));
		assert.equal((await command(world, "npx jest", { grants })).decision, "ask");
	});

	it("of make ends when a file changes that make finds from where it runs", async () => {
		const [found] = (await command(world, "make all")).grants;
		assert.ok(found);
		assert.ok(found.bound?.includes("b.mk"), String(found.bound));
	});

	after(() => world.dispose());
});
