// The list of sessions: the same from the index and from disk, whatever other processes do meanwhile.
import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CREATED, cleanUp, failingFiles, newFolder, openStore, smallState, summary, transcriptOf, userEvent } from "./support.ts";

describe("the list of sessions", () => {
	cleanUp();

	async function threeSessions() {
		const root = await newFolder();
		const index = smallState();
		const store = openStore(root, { index });
		for (const [place, id] of ["a", "b", "c"].entries()) {
			await store.create(summary(id, { name: `Session ${id}`, attributes: { place } }));
			await store.append(id, { id: "g", seq: 1, at: CREATED, by: "person", type: "agent", agent: `agent-${id}` });
			await store.append(id, userEvent(2 + place, `hello ${id}`));
		}
		await store.archive("b");
		const expected = await store.list();
		await store.close();
		return { root, index, expected };
	}

	it("is the same from the index, without it, and from one that is damaged in any way", async () => {
		const { root, index, expected } = await threeSessions();
		const file = join(root, "index.json");
		const good = await readFile(file, "utf8");
		assert.deepEqual(
			expected.map(({ sessionId, messageCount }) => [sessionId, messageCount]),
			[
				["c", 1],
				["b", 0],
				["a", 1],
			],
		);
		const lie = good.replaceAll("Session a", "Session z");
		assert.notEqual(lie, good);
		const files = [good, "", "{", "null", "[]", '"x"', good.slice(0, -9), lie, good.replace('"version":1', '"version":2'), undefined];
		const values = [index.value, undefined, null, 7, "x", [], { version: 1, entries: [1, [2]] }, JSON.parse(lie)];
		for (const text of files) {
			for (const value of values) {
				if (text === undefined) await rm(file, { force: true });
				else await writeFile(file, text);
				assert.deepEqual(await openStore(root, { index: smallState(value) }).list(), expected);
			}
		}
	});

	it("reads no transcript that the index knows", async () => {
		const { root, index, expected } = await threeSessions();
		const opened: string[] = [];
		const watched = failingFiles("open", (path) => opened.push(path) > 0 && false);
		watched.code = "EIO";
		assert.deepEqual(await openStore(root, { index, files: watched.files }).list(), expected);
		assert.deepEqual(
			opened.filter((path) => path.includes("current.jsonl")),
			[],
		);
		assert.deepEqual(
			openStore(root, { index })
				.glimpse()
				.map(({ sessionId }) => sessionId)
				.sort(),
			["a", "b", "c"],
		);
	});

	it("shows a session that cannot be read just now as it was seen last, and all the others", async () => {
		const { root, index, expected } = await threeSessions();
		const failing = failingFiles("open", (path) => path.includes("current.jsonl"));
		const lines: string[] = [];
		const store = openStore(root, { index, files: failing.files, log: (line) => lines.push(line) });
		failing.code = "EIO";
		await appendFile(transcriptOf(root, "a"), `${JSON.stringify(userEvent(50))}\n`);
		assert.deepEqual(await store.list(), expected);
		assert.match(lines.join(), /the session a cannot be read.*EIO/);
	});

	it("sees what another process wrote, removed, made or mended since", async () => {
		const { root, index } = await threeSessions();
		const store = openStore(root, { index });
		await store.list();
		await appendFile(transcriptOf(root, "a"), `${JSON.stringify(userEvent(50, "from elsewhere"))}\n`);
		await writeFile(transcriptOf(root, "c"), `${JSON.stringify(userEvent(1, "rewritten from scratch"))}\n`);
		await rm(join(root, "sessions", "b"), { recursive: true });
		const other = openStore(root);
		await other.create(summary("d"));
		const listed = await store.list();
		assert.deepEqual(listed, await openStore(root).list());
		assert.deepEqual(
			listed.map(({ sessionId, messageCount, lastSnippet }) => [sessionId, messageCount, lastSnippet?.slice(0, 14)]),
			[
				["a", 2, "from elsewhere"],
				["c", 1, "rewritten from"],
				["d", 0, undefined],
			],
		);
	});

	it("of 1,000 sessions fits its part of the editor's state, the newest first, and is whole from disk", async function () {
		this.timeout(60_000);
		const root = await newFolder();
		const index = smallState();
		const ids = Array.from({ length: 1_000 }, (_, place) => `session-${place}`);
		for (const [place, id] of ids.entries()) {
			await mkdir(join(root, "sessions", id), { recursive: true });
			const { agentId, role, createdAt } = summary(id);
			await writeFile(
				join(root, "sessions", id, "session.json"),
				JSON.stringify({ agentId, role, createdAt, name: `Work on part ${place}` }),
			);
			await writeFile(transcriptOf(root, id), `${JSON.stringify(userEvent(place + 1, "a message of some length ".repeat(4)))}\n`);
		}
		const store = openStore(root, { index });
		const listed = await store.list();
		assert.equal(listed.length, 1_000);
		await store.close();
		const size = Buffer.byteLength(JSON.stringify(index.value));
		assert.ok(size <= 64 * 1024 && size > 40 * 1024, `${size} bytes`);
		const glimpse = openStore(root, { index }).glimpse();
		assert.deepEqual(glimpse, listed.slice(0, glimpse.length));
		assert.ok(glimpse.length > 50);
		assert.deepEqual(await openStore(root, { index }).list(), listed);
	});
});
