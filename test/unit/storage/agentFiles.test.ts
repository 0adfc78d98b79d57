// The person's agents on disk: what a change keeps, and what two changes at once do to each other.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../../../src/core/ports/sessions.ts";
import { changeAgent, changeAgentField, createAgentFile, readAgentFiles, removeAgent } from "../../../src/storage/agents/agentFiles.ts";
import { changePreference, readPreferences } from "../../../src/storage/agents/preferences.ts";
import { readDefinitionFiles } from "../../../src/storage/agents/workspaceAgents.ts";
import { cleanUp, newFolder } from "./support.ts";

const json = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));
const add = (value: string) => (old: unknown) => [...((old as string[] | undefined) ?? []), value];

describe("the files of the person's agents", () => {
	cleanUp();

	it("are made for nobody else to read, and never over another", async () => {
		const folder = join(await newFolder(), "agents");
		await createAgentFile(folder, "one", { agentId: "one", displayName: "One" });
		assert.deepEqual(await json(join(folder, "one.json")), { agentId: "one", displayName: "One" });
		assert.equal((await stat(join(folder, "one.json"))).mode & 0o077, 0);
		await assert.rejects(createAgentFile(folder, "one", {}), StorageError);
		assert.deepEqual(await readdir(folder), ["one.json"]);
	});

	it("keep comments, a byte order mark and everything a change does not name", async () => {
		const folder = await newFolder();
		const path = join(folder, "mine.json");
		await writeFile(path, '\uFEFF{\n\t// mine\n\t"id": "mine",\n\t"name": "Mine",\n\t"odd": [1]\n}\n');
		assert.equal(await changeAgentField(folder, "mine", "allowedTools", add("read_file")), true);
		const text = await readFile(path, "utf8");
		assert.ok(text.startsWith('\uFEFF{\n\t// mine\n\t"id": "mine"'), text);
		assert.match(text, /"allowedTools": \[\n\t\t"read_file"\n\t\]/);
		assert.equal(await changeAgentField(folder, "mine", "allowedTools", () => undefined), true);
		assert.doesNotMatch(await readFile(path, "utf8"), /allowedTools/);
	});

	it("are found in a list of several, and the others stay", async () => {
		const folder = await newFolder();
		const path = join(folder, "all.json");
		await writeFile(path, JSON.stringify({ agents: [{ agentId: "a" }, { agentId: "b", model: "x/y" }] }));
		assert.equal(await changeAgent(folder, "b", (entry) => ({ ...entry, icon: "bug" })), true);
		assert.deepEqual(await json(path), { agents: [{ agentId: "a" }, { agentId: "b", model: "x/y", icon: "bug" }] });
		assert.equal(await removeAgent(folder, "a"), true);
		assert.deepEqual(await json(path), { agents: [{ agentId: "b", model: "x/y", icon: "bug" }] });
		assert.equal(await removeAgent(folder, "b"), true);
		assert.deepEqual(await readdir(folder), []);
		assert.equal(await changeAgent(folder, "b", (entry) => entry), false);
		assert.equal(await removeAgent(folder, "b"), false);
	});

	it("lose nothing where many changes come at once", async () => {
		const folder = await newFolder();
		await createAgentFile(folder, "one", { agentId: "one" });
		const names = Array.from({ length: 20 }, (_, index) => `tool_${index}`);
		await Promise.all(names.map((name) => changeAgentField(folder, "one", "allowedTools", add(name))));
		const { allowedTools } = (await json(join(folder, "one.json"))) as { allowedTools: string[] };
		assert.deepEqual(allowedTools.sort(), names.sort());
	});

	it("leave out the preferences and what is hidden; the sizes and the number are bounded", async () => {
		const folder = await newFolder();
		for (const name of ["_preferences.json", ".a.json", "a.json", "note.txt"]) await writeFile(join(folder, name), "{}");
		await writeFile(join(folder, "big.json"), "");
		await truncate(join(folder, "big.json"), 300 * 1024);
		await mkdir(join(folder, "folder.json"));
		const found = await readAgentFiles(folder);
		assert.deepEqual(
			found.map((file) => [file.path.slice(folder.length + 1), "problem" in file ? file.problem : file.bytes.length]),
			[
				["a.json", 2],
				["big.json", "The file is larger than 256 KB."],
				["folder.json", "This is not a regular file."],
			],
		);
		const crowd = await newFolder();
		await Promise.all(Array.from({ length: 502 }, (_, index) => writeFile(join(crowd, `${String(index).padStart(4, "0")}.json`), "{}")));
		const many = await readAgentFiles(crowd);
		assert.equal(many.length, 501);
		assert.deepEqual(many.at(-1), { path: crowd, problem: "The folder has more than 500 files. The last 2 by name are skipped." });
	});

	it("are not read beyond 16 MB of a folder", async () => {
		const folder = await newFolder();
		const names = Array.from({ length: 100 }, (_, index) => `${index + 100}.json`);
		await Promise.all(names.map((name) => writeFile(join(folder, name), " ".repeat(200 * 1024))));
		const found = await readAgentFiles(folder);
		assert.deepEqual(
			[found.length, found.at(-1)],
			[51, { path: folder, problem: "The files in this folder are larger than 16 MB in total. Files from 150.json on are skipped." }],
		);
	});

	it("of a workspace are not read through a link that leads out of it", async () => {
		const [outside, workspace] = [await newFolder(), await newFolder()];
		await writeFile(join(outside, "secret.json"), "{}");
		await writeFile(join(workspace, "real.json"), "{}");
		await mkdir(join(workspace, "agents"));
		await symlink(join(outside, "secret.json"), join(workspace, "agents", "a.json"));
		await symlink(join(workspace, "real.json"), join(workspace, "agents", "b.json"));
		await symlink(outside, join(workspace, "linked"));
		const isJson = (name: string): boolean => name.endsWith(".json");
		const read = async (name: string) =>
			(await readDefinitionFiles(join(workspace, name), isJson, workspace)).map((file) => ("problem" in file ? file.problem : "read"));
		assert.deepEqual(await read("agents"), ["The link points outside the workspace.", "read"]);
		assert.deepEqual(await read("linked"), ["The link points outside the workspace."]);
		assert.deepEqual(await read("missing"), []);
	});
});

describe("the preferences", () => {
	cleanUp();

	it("keep the fields that nobody asked to change", async () => {
		const folder = join(await newFolder(), "agents");
		assert.deepEqual(await readPreferences(folder), {});
		await mkdir(folder);
		await writeFile(join(folder, "_preferences.json"), JSON.stringify({ lastUsedAgentId: "a", other: 1 }));
		await changePreference(folder, "defaultAgentAllowedTools", (old) => [...(old ?? []), "read_file"]);
		await changePreference(folder, "lastUsedAgentId", () => "b");
		const expected = { lastUsedAgentId: "b", defaultAgentAllowedTools: ["read_file"] };
		assert.deepEqual(await json(join(folder, "_preferences.json")), { ...expected, other: 1 });
		assert.deepEqual(await readPreferences(folder), expected);
	});

	it("are set aside where they are damaged, and allow nothing", async () => {
		const folder = await newFolder();
		await writeFile(join(folder, "_preferences.json"), '{"defaultAgentAllowedTools": ["');
		assert.deepEqual(await readPreferences(folder), {});
		await changePreference(folder, "lastUsedAgentId", () => "b");
		assert.deepEqual((await readdir(folder)).sort(), ["_preferences.json", "_preferences.json.corrupt"]);
		await writeFile(join(folder, "_preferences.json"), '{"defaultAgentAllowedTools": "*"}');
		assert.deepEqual(await readPreferences(folder), {});
	});
});
