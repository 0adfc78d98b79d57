// Nothing acknowledged is lost: torn files, killed processes, two writers at once.
import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import {
	buildWriter,
	cleanUp,
	dice,
	failingFiles,
	folderOf,
	linesOf,
	linesUntil,
	newFolder,
	openStore,
	range,
	startWriter,
	summary,
	summaryOf,
	transcriptOf,
	userEvent,
} from "./support.ts";

const KILLS = 20;

describe("a transcript cut off anywhere", () => {
	cleanUp();

	it("loads every record before the cut, and takes the next one", async function () {
		this.timeout(60_000);
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("whole"));
		for (let seq = 1; seq <= 4; seq++) await store.append("whole", userEvent(seq, `ü${seq}`));
		await store.close();
		const whole = await readFile(transcriptOf(root, "whole"));
		const ends = [...whole.keys()].filter((at) => whole[at] === 10).map((at) => at + 1);
		const first = ends[0] as number;

		const check = async (size: number) => {
			const id = `cut-${size}`;
			await mkdir(folderOf(root, id));
			await copyFile(transcriptOf(root, "whole"), transcriptOf(root, id));
			await truncate(transcriptOf(root, id), size);
			// A record that lacks nothing but its newline is whole.
			const kept = ends.filter((end) => end - 1 <= size).length;
			const torn = size > (ends[kept - 1] as number);
			const reader = openStore(root);
			assert.deepEqual(summaryOf(await reader.read(id)), { seqs: range(kept), damaged: torn ? 1 : 0 }, `read at ${size}`);
			await reader.append(id, userEvent(kept + 1, "next", "next"));
			assert.deepEqual(summaryOf(await openStore(root).read(id)), { seqs: range(kept + 1), damaged: 0 }, `append at ${size}`);
			const names = await readdir(folderOf(root, id));
			assert.deepEqual(names.sort(), torn ? ["current.jsonl", "current.jsonl.corrupt"] : ["current.jsonl"]);
			if (!torn) return;
			const aside = await readFile(`${transcriptOf(root, id)}.corrupt`);
			assert.deepEqual(aside.subarray(0, -1), whole.subarray(ends[kept - 1], size));
		};
		const sizes = Array.from({ length: whole.length - first + 1 }, (_, place) => first + place);
		assert.ok(sizes.length > 250);
		while (sizes.length > 0) await Promise.all(sizes.splice(0, 24).map(check));
	});

	it("is left as it is by a window that does not have the session", async () => {
		const root = await newFolder();
		const owner = openStore(root);
		await owner.create(summary("one"));
		await owner.own("one");
		await owner.append("one", userEvent(1));
		await writeFile(transcriptOf(root, "one"), '{"id":"half', { flag: "a" });
		await openStore(root).append("one", userEvent(2));
		assert.deepEqual(summaryOf(await owner.read("one")), { seqs: [1, 2], damaged: 1 });
		assert.deepEqual((await linesOf(transcriptOf(root, "one")))[1], '{"id":"half');
		await owner.append("one", userEvent(3));
		assert.deepEqual(summaryOf(await owner.read("one")), { seqs: [1, 2, 3], damaged: 1 });
	});
});

describe("a process that is killed while it writes", () => {
	cleanUp();

	it(`loses nothing it acknowledged, ${KILLS} times over, and its session is free at once`, async function () {
		this.timeout(60_000);
		const root = await newFolder();
		const script = await buildWriter(await newFolder());
		// Two sessions side by side, for the sake of time.
		await Promise.all([killRepeatedly(root, script, "one", 7), killRepeatedly(root, script, "two", 11)]);
		const store = openStore(root);
		await store.recover();
		for (const id of ["one", "two"]) {
			assert.equal(await store.own(id), true);
			await store.append(id, userEvent(1_000_000, "after", "after"));
			const { events, damaged } = await store.read(id);
			assert.deepEqual([events.at(-1)?.id, damaged], ["after", 0]);
		}
		const names = await readdir(root, { recursive: true });
		assert.deepEqual(
			names.filter((name) => /\.(tmp|lock)$/.test(name)),
			[],
		);
	});

	async function killRepeatedly(root: string, script: string, sessionId: string, seed: number): Promise<void> {
		const chance = dice(seed);
		await openStore(root).create(summary(sessionId));
		const acknowledged: string[] = [];
		for (let kill = 0; kill < KILLS / 2; kill++) {
			const first = ((await openStore(root).read(sessionId)).events.at(-1)?.seq ?? 0) + 1;
			const size = chance() < 0.2 ? 100_000 : Math.floor(chance() * 8_000);
			const child = startWriter(script, { root, sessionId, name: `k${kill}`, count: 10_000, first, own: true, size });
			const after = 2 + Math.floor(chance() * 20);
			const lines = await linesUntil(child, (_, count) => count >= after);
			child.kill("SIGKILL");
			lines.push(...(await linesUntil(child, () => false)));
			await child.ended;
			assert.deepEqual(lines.shift(), "own true");
			acknowledged.push(...lines.map((line) => line.replace(/^ack /, "")));

			const { events, damaged } = await openStore(root).read(sessionId);
			assert.ok(damaged <= 1, `${damaged} damaged lines`);
			// A record may be in the file although death came before its acknowledgement, never the other way round.
			const known = new Set(acknowledged);
			assert.deepEqual(
				events.map(({ id }) => id).filter((id) => known.has(id)),
				acknowledged,
			);
			assert.deepEqual(
				events.map(({ seq }) => seq),
				range(events.length),
			);
		}
		assert.ok(acknowledged.length >= KILLS);
	}
});

describe("two processes on one storage", () => {
	cleanUp();

	it("interleave 1,000 appends to the same session and to their own without loss, and one of them has it", async function () {
		this.timeout(60_000);
		const root = await newFolder();
		const script = await buildWriter(await newFolder());
		const store = openStore(root);
		for (const id of ["same", "a", "b"]) await store.create(summary(id));
		const start = (name: string, sessionId: string, own: boolean) =>
			startWriter(script, { root, sessionId, name, count: 250, first: 1, own, wait: true, size: 300 });
		const children = [start("a", "same", true), start("b", "same", true), start("c", "a", false), start("d", "b", false)];
		await Promise.all(children.map((child) => linesUntil(child, (line) => line === "ready")));
		for (const child of children) child.stdin.write("go\n");
		const said = await Promise.all(children.map((child) => linesUntil(child, () => false)));
		await Promise.all(children.map((child) => child.ended));

		assert.deepEqual(
			said
				.slice(0, 2)
				.map((lines) => lines[0])
				.sort(),
			["own false", "own true"],
		);
		const { events, damaged } = await openStore(root).read("same");
		assert.deepEqual([events.length, damaged], [500, 0]);
		assert.deepEqual(
			events.map(({ seq }) => seq),
			range(500),
		);
		for (const name of ["a", "b"]) {
			assert.deepEqual(
				events.map(({ id }) => id).filter((id) => id.startsWith(name)),
				range(250).map((seq) => `${name}-${seq}`),
			);
		}
		for (const id of ["a", "b"]) assert.deepEqual(summaryOf(await openStore(root).read(id)), { seqs: range(250), damaged: 0 });
	});
});

describe("the platter", () => {
	cleanUp();

	it("has what must not be lost before the append resolves, and is not waited for otherwise", async () => {
		const root = await newFolder();
		let flushes = 0;
		const watched = failingFiles("datasync", () => ++flushes < 0);
		watched.code = "unused";
		const store = openStore(root, { files: watched.files });
		await store.create(summary("one"));
		const call = { id: "c", name: "read_file", input: {} };
		const bodies: [EventBody, boolean][] = [
			[{ type: "user", text: "Hello" }, true],
			[{ type: "started", agent: "default", definitionHash: "", role: "planner", model: "m" }, false],
			[{ type: "assistant", text: "Hi" }, false],
			[{ type: "assistant", text: "", calls: [call] }, true],
			[{ type: "asked", request: "r", call: "c", summary: "s", hash: "h", reason: "r" }, true],
			[{ type: "answered", request: "r", answer: { allow: true } }, true],
			[{ type: "result", call: "c", status: "ok", output: "" }, true],
			[{ type: "step", step_number: 1, status: "done" }, false],
			[{ type: "status", level: "info", text: "" }, false],
			[{ type: "role", role: "actor" }, true],
			[{ type: "ended", outcome: "done" }, true],
		];
		for (const [place, [body, flushed]] of bodies.entries()) {
			flushes = 0;
			await store.append("one", {
				id: `e${place}`,
				seq: place + 1,
				at: "2025-01-01T00:00:00.000Z",
				by: "host",
				...body,
			} as TranscriptEvent);
			assert.equal(flushes > 0, flushed, JSON.stringify(body));
		}
		assert.equal((await store.read("one")).events.length, bodies.length);
	});
});
