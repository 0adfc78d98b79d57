// The lists of standing approvals in files that a person reads and changes.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GrantListLocation } from "../../../src/core/grant.ts";
import { createGrantLists } from "../../../src/storage/approvals/grantLists.ts";
import { nodeFileSystem } from "../../../src/storage/fileSystem.ts";
import { cleanUp, newFolder } from "./support.ts";

async function folderWith(files: Record<string, string>): Promise<string> {
	const folder = join(await newFolder(), "agents");
	await mkdir(folder);
	for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
	return folder;
}

const inFile = (folder: string, agentId: string, name = `${agentId}.json`): GrantListLocation => ({
	kind: "file",
	agentId,
	path: join(folder, name),
});
const preferences: GrantListLocation = { kind: "preferences" };
const add = (entry: string) => (entries: readonly string[]) => [...entries, entry];

describe("the list of an agent's standing approvals", () => {
	cleanUp();

	it("is allowedTools of its file, changed without touching anything else", async () => {
		const text = '// Mine.\n{\n\t"agentId": "a",\n\t"displayName": "A", // the first\n\t"allowedTools": ["read_file"]\n}\n';
		const folder = await folderWith({ "a.json": text });
		const lists = createGrantLists(folder);
		assert.deepEqual(await lists.read(inFile(folder, "a")), ["read_file"]);
		await lists.change(inFile(folder, "a"), add("execute_command(npm test)"));
		assert.deepEqual(await lists.read(inFile(folder, "a")), ["read_file", "execute_command(npm test)"]);
		const after = await readFile(join(folder, "a.json"), "utf8");
		assert.match(after, /^\/\/ Mine\.\n/);
		assert.match(after, /\/\/ the first/);
	});

	it("is that of the entry in a file with several agents", async () => {
		const folder = await folderWith({
			"team.json": JSON.stringify({
				agents: [
					{ agentId: "a", allowedTools: ["x"] },
					{ id: "b", displayName: "B" },
				],
			}),
		});
		const lists = createGrantLists(folder);
		await lists.change(inFile(folder, "b", "team.json"), add("update_file"));
		assert.deepEqual(await lists.read(inFile(folder, "a", "team.json")), ["x"]);
		assert.deepEqual(await lists.read(inFile(folder, "b", "team.json")), ["update_file"]);
	});

	it("of the default agent is in the preferences, beside what else is remembered", async () => {
		const folder = await folderWith({ "_preferences.json": '{"lastUsedAgentId":"a","kept":1}' });
		const lists = createGrantLists(folder);
		assert.deepEqual(await lists.read(preferences), []);
		await lists.change(preferences, add("update_file"));
		assert.deepEqual(JSON.parse(await readFile(join(folder, "_preferences.json"), "utf8")), {
			lastUsedAgentId: "a",
			kept: 1,
			defaultAgentAllowedTools: ["update_file"],
		});
		assert.deepEqual(await createGrantLists(folder).read(preferences), ["update_file"]);
	});

	it("is empty where the file is gone, damaged, half written, too large or of another shape", async () => {
		const whole = '{"agentId":"a","allowedTools":["update_file","create_file"]}';
		for (const text of [
			"",
			whole.slice(0, -2),
			whole.slice(0, 45),
			"[]",
			'{"agentId":"a","allowedTools":"update_file"}',
			'{"agentId":"b","allowedTools":["update_file"]}',
			`{"agentId":"a","allowedTools":["update_file"],"x":"${"y".repeat(300_000)}"}`,
			"[".repeat(100_000),
		]) {
			const folder = await folderWith({ "a.json": text, "_preferences.json": text.replace("allowedTools", "defaultAgentAllowedTools") });
			const lists = createGrantLists(folder);
			assert.deepEqual(await lists.read(inFile(folder, "a")), [], text.slice(0, 80));
			if (!text.includes('"b"')) assert.deepEqual(await lists.read(preferences), [], text.slice(0, 80));
		}
		const folder = await folderWith({});
		assert.deepEqual(await createGrantLists(folder).read(inFile(folder, "a")), []);
		await assert.rejects(createGrantLists(folder).change(inFile(folder, "a"), add("x")), { name: "StorageError", code: "ENOENT" });
	});

	it("keeps what is no text as it is, counts it for nothing, and loses it only when it is discarded", async () => {
		const folder = await folderWith({
			"a.json": '{"agentId":"a","allowedTools":["update_file", 7, {"tool":"x"}, "create_file"]}',
			"_preferences.json": '{"defaultAgentAllowedTools":[null,"update_file"]}',
		});
		const lists = createGrantLists(folder);
		const list = inFile(folder, "a");
		assert.deepEqual(
			[await lists.read(list), await lists.unreadable(list)],
			[
				["update_file", "create_file"],
				["7", '{"tool":"x"}'],
			],
		);
		await lists.change(list, add("delete_file"));
		await lists.change(preferences, add("create_file"));
		assert.deepEqual(JSON.parse(await readFile(join(folder, "a.json"), "utf8")), {
			agentId: "a",
			allowedTools: ["update_file", "create_file", "delete_file", 7, { tool: "x" }],
		});
		assert.deepEqual(JSON.parse(await readFile(join(folder, "_preferences.json"), "utf8")), {
			defaultAgentAllowedTools: ["update_file", "create_file", null],
		});
		await lists.discard(list, '{"tool":"x"}');
		await lists.discard(preferences, "null");
		assert.deepEqual([await lists.unreadable(list), await lists.unreadable(preferences)], [["7"], []]);
		assert.deepEqual(await lists.read(preferences), ["update_file", "create_file"]);
	});

	it("is read from disk when it has changed and not else, by hand and by other windows at once", async () => {
		const folder = await folderWith({ "_preferences.json": '{"defaultAgentAllowedTools":["a_1"]}' });
		let reads = 0;
		const readFileCounted = ((...given: Parameters<typeof nodeFileSystem.readFile>) => {
			reads += 1;
			return nodeFileSystem.readFile(...given);
		}) as typeof nodeFileSystem.readFile;
		const [one, two] = [createGrantLists(folder, { ...nodeFileSystem, readFile: readFileCounted }), createGrantLists(folder)];
		for (let time = 0; time < 20; time++) assert.deepEqual(await one.read(preferences), ["a_1"]);
		assert.equal(reads, 1);
		await two.change(preferences, add("b_2"));
		assert.deepEqual(await one.read(preferences), ["a_1", "b_2"]);
		await writeFile(join(folder, "_preferences.json"), '{"defaultAgentAllowedTools":[]}');
		assert.deepEqual(await one.read(preferences), []);
		assert.equal(reads, 3);
	});

	it("takes changes of several windows at once, all of them", async () => {
		const folder = await folderWith({ "a.json": '{"agentId":"a"}' });
		const windows = Array.from({ length: 4 }, () => createGrantLists(folder));
		await Promise.all(windows.map((lists, place) => lists.change(inFile(folder, "a"), add(`tool_${place}`))));
		assert.deepEqual([...(await createGrantLists(folder).read(inFile(folder, "a")))].sort(), ["tool_0", "tool_1", "tool_2", "tool_3"]);
	});
});
