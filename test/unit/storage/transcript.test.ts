// Tests reading transcript lines: events of any size and age, and invalid lines.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFile, open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { createBlobs } from "../../../src/storage/blobs.ts";
import { CREATED, cleanUp, folderOf, linesOf, newFolder, openStore, smallState, summary, transcriptOf, userEvent } from "./support.ts";

const LIMIT = 64 * 1024;

const base = { at: CREATED, by: "model" } as const;
const awkward = `\u{1F600}"\\\n\u0000 \ud800 lone ${"é".repeat(70_000)}`;
const plan = {
	goal: "g".repeat(9_000),
	steps: Array.from({ length: 900 }, (_, at) => ({ step_number: at + 1, action: `step ${at} `.repeat(9) })),
};
const change = (place: number) => ({
	path: `src/${place}.ts`,
	action: "update" as const,
	diff: `@@ ${place}\n`.repeat(900),
	added: 1,
	removed: 1,
	after: "",
});

const bigEvents: TranscriptEvent[] = [
	{ ...base, id: "user", seq: 1, by: "person", type: "user", text: awkward },
	{
		...base,
		id: "assistant",
		seq: 2,
		type: "assistant",
		text: "x".repeat(65_000),
		thinking: "y".repeat(65_000),
		opaque: { signature: "z".repeat(99_000) },
	},
	{
		...base,
		id: "calls",
		seq: 3,
		type: "assistant",
		text: "",
		calls: [{ id: "c1", name: "create_file", input: { path: "a/b~c", content: awkward, "x/y~z": awkward } }],
	},
	{
		...base,
		id: "result",
		seq: 4,
		by: "host",
		type: "result",
		call: "c1",
		status: "ok",
		output: "out\n".repeat(60_000),
		view: { kind: "change", changes: [1, 2, 3, 4, 5, 6].map(change) },
	},
	{
		...base,
		id: "plan",
		seq: 5,
		by: "host",
		type: "plan",
		plan,
		planId: "p",
		version: 1,
		hash: "h",
		basis: { files: Array.from({ length: 3_000 }, (_, at) => ({ path: `src/file-${at}.ts`, hash: "0".repeat(64) })) },
	},
	{
		...base,
		id: "numbers",
		seq: 6,
		type: "assistant",
		text: "",
		calls: [{ id: "c2", name: "list", input: Array.from({ length: 40_000 }, (_, at) => at) }],
	},
];

async function oneSession() {
	const root = await newFolder();
	const store = openStore(root);
	await store.create(summary("one"));
	return { root, store, path: transcriptOf(root, "one") };
}

describe("an event over 64 KB", () => {
	cleanUp();

	it("takes a line under 64 KB and comes back whole", async () => {
		const { root, store, path } = await oneSession();
		for (const event of bigEvents) await store.append("one", event);
		assert.deepEqual((await openStore(root).read("one")).events, bigEvents);
		for (const line of await linesOf(path)) assert.ok(Buffer.byteLength(line) < LIMIT, `${Buffer.byteLength(line)} bytes`);
		assert.ok((await readdir(join(root, "blobs"))).length >= 9);
		assert.deepEqual(
			(await store.list()).map(({ messageCount, lastSnippet }) => [messageCount, lastSnippet?.length]),
			[[2, 120]],
		);
	});

	it("keeps its head and says so when its blob is gone, and an event that means nothing without it is set aside", async () => {
		const { root, store } = await oneSession();
		for (const event of bigEvents) await store.append("one", event);
		await rm(join(root, "blobs"), { recursive: true });
		const { events, damaged } = await openStore(root).read("one");
		assert.deepEqual([events.map(({ id }) => id), damaged], [["user", "assistant", "calls", "result", "numbers"], 1]);
		assert.match((events[0] as { text: string }).text, /^\u{1F600}.*The rest is missing/su);
		assert.equal((events[4] as { calls?: unknown }).calls, undefined);
	});

	it("cannot reach outside itself by what a line claims was spilled", async () => {
		const { root, store, path } = await oneSession();
		const hash = await createBlobs(join(root, "blobs")).put(Buffer.from('"polluted"'));
		const spilled = Object.fromEntries(
			["/__proto__/x", "/constructor/prototype/x", "/nothing/x", "x", ""].map((pointer) => [pointer, { blob: hash, size: 10 }]),
		);
		await writeFile(
			path,
			`${JSON.stringify({ ...userEvent(1), spilled: { ...spilled, "/text": { blob: "../../session.json", size: 1 } } })}\n`,
		);
		const { events } = await store.read("one");
		assert.deepEqual(Object.keys(events[0] ?? {}).sort(), Object.keys(userEvent(1)).sort());
		assert.equal(({} as Record<string, unknown>)["x"], undefined);
	});
});

describe("lines of a transcript", () => {
	cleanUp();

	it("that cannot be read stay where they are, counted, and the others load in order", async () => {
		const { store, path } = await oneSession();
		const broken = [
			"{",
			"null",
			"[]",
			"7",
			'"text"',
			"\u0000\u0000",
			'{"type":"user"}',
			'{"id":"x","seq":1,"at":"","by":"person","type":"__proto__"}',
		];
		const shapeless = [
			{ ...userEvent(1), type: "plan", plan: {} },
			{ ...userEvent(1), type: "assistant", text: "", calls: [{}] },
			{ ...userEvent(1), type: "result", call: "c", status: "ok", output: "", view: { kind: "change", changes: 3 } },
			{ ...userEvent(1), seq: "1" },
		].map((line) => JSON.stringify(line));
		const lines = [...broken, ...shapeless].flatMap((line, place) => [line, JSON.stringify(userEvent(place + 1)), "", "\r"]);
		await writeFile(path, `${lines.join("\n")}\n`);
		const { events, damaged } = await store.read("one");
		const count = broken.length + shapeless.length;
		assert.deepEqual([events, damaged], [Array.from({ length: count }, (_, place) => userEvent(place + 1)), count]);
		await store.append("one", userEvent(count + 1));
		assert.deepEqual((await linesOf(path)).filter((line) => line !== "\r").length, 2 * count + 1);
		assert.equal((await store.list())[0]?.messageCount, count + 1);
	});

	it("of one record written twice count once; two records with one number both stay", async () => {
		const { store, path } = await oneSession();
		const lines = [userEvent(1), userEvent(2), userEvent(2), userEvent(2, "other", "other"), userEvent(3)];
		await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
		const { events } = await store.read("one");
		assert.deepEqual(
			events.map(({ id, seq }) => [id, seq]),
			[
				["e1", 1],
				["e2", 2],
				["other", 3],
				["e3", 4],
			],
		);
	});

	it("from before events had a type load as text, by an actor", async () => {
		const root = await newFolder();
		const { path, store } = await oneSession();
		const older = [
			{ role: "user", content: "Hello", timestamp: 1_700_000_000_000 },
			{ role: "assistant", text: "Hi", id: "a1", message_type: "text", at: "2024-01-01T00:00:00Z" },
			{
				content: [
					{ type: "text", text: "two" },
					{ type: "text", text: "parts" },
				],
			},
			{ role: "system", text: "Note" },
			{ role: "user" },
		];
		const text = older.map((line) => `${JSON.stringify(line)}\n`).join("");
		await writeFile(path, text + JSON.stringify(userEvent(5)));
		const { events, damaged } = await store.read("one");
		assert.equal(damaged, 1);
		assert.deepEqual(events, [
			{ id: "older-1", seq: 1, at: "2023-11-14T22:13:20.000Z", by: "person", type: "user", text: "Hello" },
			{ id: "a1", seq: 2, at: "2024-01-01T00:00:00.000Z", by: "model", type: "assistant", text: "Hi" },
			{ id: "older-3", seq: 3, at: "2024-01-01T00:00:00.000Z", by: "person", type: "user", text: "two\nparts" },
			{ id: "older-4", seq: 4, at: "2024-01-01T00:00:00.000Z", by: "host", type: "status", level: "info", text: "Note" },
			userEvent(5),
		]);
		// A folder from before identities: nothing but the transcript.
		await openStore(root).create(summary("made"));
		await rm(join(folderOf(root, "made"), "session.json"));
		await writeFile(transcriptOf(root, "made"), text);
		assert.deepEqual(
			(await openStore(root).list()).map(({ role, agentId, messageCount }) => [role, agentId, messageCount]),
			[["actor", "default", 3]],
		);
	});

	it("of 50 MB are passed over without being held, and do not hide what follows", async () => {
		const { root, store, path } = await oneSession();
		await store.append("one", userEvent(1));
		const file = await open(path, "a");
		const megabyte = Buffer.alloc(1024 * 1024, "x");
		for (let count = 0; count < 50; count++) await file.write(megabyte);
		await file.write("\n");
		await file.close();
		await appendFile(path, `${JSON.stringify(userEvent(2))}\n`);
		const before = process.memoryUsage().arrayBuffers;
		const { events, damaged } = await openStore(root, { index: smallState() }).read("one");
		assert.deepEqual([events, damaged], [[userEvent(1), userEvent(2)], 1]);
		assert.ok(process.memoryUsage().arrayBuffers - before < 40 * 1024 * 1024);
	});

	it("are written one by one, each with what the event holds and nothing else", async () => {
		const { store, path } = await oneSession();
		// More than the threads that look at files, so that answers come out of order.
		const numbers = Array.from({ length: 40 }, (_, place) => place + 1);
		await Promise.all(numbers.map((seq) => store.append("one", userEvent(seq))));
		assert.deepEqual(
			(await linesOf(path)).map((line) => JSON.parse(line) as unknown),
			numbers.map((seq) => userEvent(seq)),
		);
	});
});

describe("blobs", () => {
	cleanUp();

	it("are kept once under their hash, and damaged ones are not handed out", async () => {
		const folder = join(await newFolder(), "blobs");
		const blobs = createBlobs(folder);
		const bytes = Buffer.from([0, 255, 10, 13]);
		const hash = createHash("sha256").update(bytes).digest("hex");
		assert.deepEqual(await Promise.all([blobs.put(bytes), blobs.put(bytes)]), [hash, hash]);
		assert.deepEqual([await readdir(folder), Buffer.from((await blobs.get(hash)) ?? [])], [[hash], bytes]);
		await writeFile(join(folder, hash), Buffer.from([1, 255, 10, 13]));
		assert.equal(await blobs.get(hash), undefined);
		await blobs.put(bytes);
		assert.deepEqual(Buffer.from((await blobs.get(hash)) ?? []), bytes);
		for (const other of ["0".repeat(64), "../secret", "", hash.toUpperCase()]) assert.equal(await blobs.get(other), undefined);
	});
});
