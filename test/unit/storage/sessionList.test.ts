// The list of sessions: the same from the index and from disk, whatever other processes do meanwhile.
import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Caller } from "../../../src/core/caller.ts";
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import { readCachedList } from "../../../src/storage/sessions/sessionIndex.ts";
import { CREATED, cleanUp, failingFiles, folderOf, newFolder, openStore, smallState, summary, transcriptOf, userEvent } from "./support.ts";

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
		const files = [good, "", "{", "null", "[]", '"x"', good.slice(0, -9), lie, good.replace('"version":2', '"version":3'), undefined];
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
			readCachedList(index.value)
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

	it("sees what another process wrote, removed, created or repaired since", async () => {
		const { root, index } = await threeSessions();
		const store = openStore(root, { index });
		await store.list();
		await appendFile(transcriptOf(root, "a"), `${JSON.stringify(userEvent(50, "from elsewhere"))}\n`);
		await writeFile(transcriptOf(root, "c"), `${JSON.stringify(userEvent(1, "rewritten from scratch"))}\n`);
		await rm(folderOf(root, "b"), { recursive: true });
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
			await mkdir(folderOf(root, id), { recursive: true });
			const { agentId, role, createdAt } = summary(id);
			await writeFile(
				join(folderOf(root, id), "session.json"),
				JSON.stringify({ sessionId: id, agentId, role, createdAt, name: `Work on part ${place}` }),
			);
			await writeFile(transcriptOf(root, id), `${JSON.stringify(userEvent(place + 1, "a message of some length ".repeat(4)))}\n`);
		}
		const store = openStore(root, { index });
		const listed = await store.list();
		assert.equal(listed.length, 1_000);
		await store.close();
		const size = Buffer.byteLength(JSON.stringify(index.value));
		assert.ok(size <= 44 * 1024 && size > 40 * 1024, `${size} bytes`);
		const newest = readCachedList(index.value);
		assert.deepEqual(newest, listed.slice(0, newest.length));
		assert.ok(newest.length > 50);
		assert.deepEqual(await openStore(root, { index }).list(), listed);
	});

	it("leaves a session with large attributes to the disk, and keeps the others in the editor's state", async () => {
		const root = await newFolder();
		const index = smallState();
		const store = openStore(root, { index });
		await store.create(summary("small"));
		await store.create(summary("large", { updatedAt: "2030-01-01T00:00:00.000Z", attributes: { notes: "x".repeat(60_000) } }));
		assert.equal((await store.list()).length, 2);
		await store.close();
		assert.deepEqual(
			readCachedList(index.value).map(({ sessionId }) => sessionId),
			["small"],
		);
	});

	describe("says that a session is unsettled", () => {
		const queued: EventBody = { type: "queued", message: "m", from: "agent:a", text: "Hello" };
		const late: EventBody = {
			...queued,
			message: "late",
			about: { kind: "answer", call: "c", turn: "t", agent: "a", session: "s", status: "complete" },
		};
		const delegated: EventBody = { type: "delegated", call: "c", session: "s", agent: "a" };
		const result: EventBody = { type: "result", call: "c", status: "ok", output: "Done" };
		const view = { kind: "agent", agent: "a", session: "s", turn: "t", mode: "async", status: "started" } as const;
		const table: [string, EventBody[], boolean][] = [
			["while a message waits", [queued], true],
			["until a turn takes it", [queued, { type: "user", text: "Hello", message: "m" }], false],
			["until it is withdrawn", [queued, { type: "unqueued", message: "m", why: "cleared" }], false],
			["while one of two messages waits", [queued, { ...queued, message: "n" }, { type: "user", text: "Hello", message: "m" }], true],
			["while a called agent works", [delegated], true],
			["until the call has its answer", [delegated, result], false],
			["while a late answer is to come", [delegated, { ...result, view }], true],
			[
				"until a turn takes the late answer",
				[delegated, { ...result, view }, late, { type: "user", text: "Hello", message: "late" }],
				false,
			],
		];
		for (const [what, bodies, unsettled] of table) {
			it(what, async () => {
				const root = await newFolder();
				const index = smallState();
				const store = openStore(root, { index });
				await store.create(summary("a"));
				for (const [place, body] of bodies.entries()) {
					await store.append("a", { ...userEvent(place + 1), ...body } as TranscriptEvent);
					await store.list();
				}
				const [step] = await store.list();
				await store.close();
				assert.equal(step?.unsettled, unsettled || undefined);
				assert.deepEqual(await openStore(root).list(), [step]);
				assert.deepEqual(readCachedList(index.value), [step]);
			});
		}
	});

	describe("says what a session waits for and how it ended", () => {
		const said: EventBody = { type: "user", text: "Choose" };
		const started: EventBody = { type: "started", agent: "default", definitionHash: "", role: "planner", model: "offline/offline" };
		const question: EventBody = { type: "question", request: "q", question: { question: "Which?", allow_custom: true } };
		const plan = { goal: "Say hello", steps: [{ step_number: 1, action: "Change the greeting" }] };
		const shown: EventBody = { type: "plan", plan, planId: "p", version: 1, hash: "h", basis: { files: [] } };
		const execute: EventBody = { type: "role", role: "actor", plan: { planId: "p", version: 1, hash: "h" } };
		const ended = (outcome: "done" | "waiting" | "failed"): EventBody => ({ type: "ended", outcome });
		const table: [string, EventBody[], string[] | undefined, string | undefined][] = [
			["a question", [said, started, question, ended("waiting")], ["question"], "waiting"],
			["a question that was answered", [said, started, question, ended("waiting"), said, started, ended("done")], undefined, "done"],
			["a plan", [said, started, shown, ended("waiting")], ["plan"], "waiting"],
			["a plan that runs", [said, started, shown, ended("waiting"), execute, said, started], undefined, undefined],
			["a turn that failed", [said, started, ended("failed")], undefined, "failed"],
			["a question that was taken back", [said, started, question, ended("waiting"), { type: "rewound", to: "e1" }], undefined, undefined],
		];
		for (const [what, bodies, waits, outcome] of table) {
			it(what, async () => {
				const root = await newFolder();
				const index = smallState();
				const events = bodies.map((body, place) => ({ ...userEvent(place + 1), ...body }) as TranscriptEvent);
				// Looked at after each event, as a window that lists sessions while one works; and from nothing, as one that has no index.
				const store = openStore(root, { index });
				await store.create(summary("a"));
				for (const event of events) {
					await store.append("a", event);
					await store.list();
				}
				const step = await store.list();
				await store.close();
				assert.deepEqual(
					step.map((one) => [one.waits, one.outcome]),
					[[waits, outcome]],
				);
				assert.deepEqual(await openStore(root).list(), step);
				assert.deepEqual(readCachedList(index.value), step);
			});
		}
	});

	describe("says which call a session answers", () => {
		const caller: Caller = { session: "s", turn: "t", call: "c", agent: "a", role: "actor", ceiling: [], depth: 1, chain: ["a"] };
		const said: EventBody = { type: "user", text: "Choose" };
		const begun: EventBody = { type: "started", agent: "default", definitionHash: "", role: "planner", model: "offline/offline" };
		const called: EventBody = { ...begun, caller };
		const ended = (outcome: "done" | "waiting"): EventBody => ({ type: "ended", outcome });
		const asks = { agent: "a", session: "s" };
		const table: [string, EventBody[], object | undefined][] = [
			["a called turn that runs", [said, called], asks],
			["a called turn that waits for the user", [said, called, ended("waiting")], asks],
			["a called turn that has ended", [said, called, ended("done")], undefined],
			["a turn of the user's own after it", [said, called, ended("waiting"), said, begun], undefined],
		];
		for (const [what, bodies, askedBy] of table) {
			it(what, async () => {
				const root = await newFolder();
				const store = openStore(root, { index: smallState() });
				await store.create(summary("a"));
				for (const [place, body] of bodies.entries()) {
					await store.append("a", { ...userEvent(place + 1), ...body } as TranscriptEvent);
					await store.list();
				}
				const step = await store.list();
				await store.close();
				assert.deepEqual(
					step.map((one) => one.askedBy),
					[askedBy],
				);
				assert.deepEqual(await openStore(root).list(), step);
			});
		}
	});
});
