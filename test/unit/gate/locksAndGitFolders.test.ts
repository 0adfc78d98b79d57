// Commands that would make a folder a git folder in one go, and commands that would lock everybody out.
import assert from "node:assert/strict";
import { command, makeWorld, type World } from "./world.ts";

const files = {
	"ws/begun/HEAD": "ref: refs/heads/main\n",
	"ws/nearly/HEAD": "ref: refs/heads/main\n",
	"ws/nearly/objects/": "",
	"ws/names/objects/": "",
	"ws/src/a.ts": "1\n",
	"ws/run.sh": "true\n",
};

describe("a command that goes ahead in auto", () => {
	let world: World;
	before(async () => {
		world = await makeWorld(files);
	});
	after(() => world.dispose());
	const inAuto = async (line: string) => (await command(world, line, { mode: "auto" })).decision;

	for (const line of [
		"mkdir begun/objects begun/refs",
		"mkdir -p begun/objects/info begun/refs/heads",
		"mkdir -p nearly/refs/heads",
		"touch names/HEAD",
		"cp src/a.ts nearly/refs/x",
	])
		it(`makes no folder a git folder: ${line}`, async () => assert.equal(await inAuto(line), "ask"));

	it("may make folders that have one name of a git folder", async () => {
		for (const line of ["mkdir -p src/objects", "mkdir names/refs", "touch src/HEAD", "mkdir -p nearly/sub/refs"])
			assert.equal(await inAuto(line), "allow", line);
	});

	for (const line of [
		"chmod 000 src",
		"chmod 000 .",
		"chmod 311 src",
		"chmod u-r src",
		"chmod a= src",
		"chmod u=x src",
		"chmod u+x,u-r src",
	])
		it(`locks nobody out: ${line}`, async () => assert.equal(await inAuto(line), "ask"));

	for (const line of ["chmod -R 644 src", "chmod -R a-x src", "chmod -R u=rw src"])
		it(`locks nobody out of folders: ${line}`, async () => assert.equal(await inAuto(line), "ask"));

	it("may give and take other rights", async () => {
		for (const line of [
			"chmod +x run.sh",
			"chmod 755 src",
			"chmod 600 run.sh",
			"chmod go-rwx src",
			"chmod u-w run.sh",
			"chmod -R u=rwX src",
		])
			assert.equal(await inAuto(line), "allow", line);
	});
});
