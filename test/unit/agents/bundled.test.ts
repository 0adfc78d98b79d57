// The registry as the extension ships it: parsers that are loaded on first use are whole in the bundle.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const BUILD = `
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { asCommonJs, extensionBuild } from "./scripts/extensionBuild.mjs";
const [outdir] = process.argv.slice(1);
const { outputFiles } = await build({ ...extensionBuild, entryPoints: { registry: "src/compose/diskRegistry.ts" }, outdir });
for (const { path, text } of outputFiles) await writeFile(join(outdir, basename(path)), await asCommonJs(text));
`;

const USE = `
const [shared, folder] = process.argv.slice(2);
const around = { globalStorage: shared, settings: () => ({ agents: [], roles: [] }), folders: () => [folder], isTrusted: () => true, displayPath: (path) => path, log: console.error };
require("./registry.js").createDiskAgentRegistry(around).then(async (registry) => {
	const { agentId } = await registry.create({ displayName: "Mine" });
	await registry.update(agentId, { displayName: "Ours" });
	const { agents, waiting, broken } = registry.catalog();
	console.log(JSON.stringify([agents.at(-1).definition.displayName, waiting.map(({ label }) => label), broken]));
});
`;

describe("the registry in the bundle", () => {
	let home: string;
	before(async () => {
		home = await mkdtemp(join(tmpdir(), "troupe-bundled-"));
	});
	after(() => rm(home, { recursive: true, force: true }));

	it("reads JSON with comments and YAML, and changes a file", async () => {
		const [built, folder] = [join(home, "built"), join(home, "folder")];
		for (const path of [built, join(folder, ".troupe/agents"), join(folder, ".claude/agents")]) await mkdir(path, { recursive: true });
		await writeFile(join(folder, ".troupe/agents/a.json"), '{ "agentId": "a", "displayName": "A" } // mine');
		await writeFile(join(folder, ".claude/agents/b.md"), "---\nname: b\ntools: Read\n---\nBe brief.");
		const run = promisify(execFile);
		await run(process.execPath, ["--input-type=module", "-e", BUILD, built]);
		await writeFile(join(built, "use.js"), USE);
		const { stdout, stderr } = await run(process.execPath, [join(built, "use.js"), join(home, "shared"), folder]);
		assert.equal(stderr, "");
		assert.deepEqual(JSON.parse(stdout), ["Ours", ["a", "b"], []]);
		assert.match(await readFile(join(built, "registry.js"), "utf8"), /createDiskAgentRegistry/);
	});
});
