// Long sessions are opened at their end: whatever is done with them, they are what the whole transcript says.

import assert from "node:assert/strict";
import { appendFile, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import type { Transcript } from "../../../src/core/transcript/state.ts";
import { nodeFileSystem, writeAtomically } from "../../../src/storage/fileSystem.ts";
import type { DiskSessionStore } from "../../../src/storage/sessions/sessionStore.ts";
import { randomFrom } from "../models/helpers.ts";
import { randomSession } from "./randomSession.ts";
import { cleanUp, failingFiles, newFolder, openStore, summary, transcriptOf, userEvent } from "./support.ts";

const SMALL = { fullReadLimit: 12_000, pageSize: 2_500, chunkSize: 900 };
const ID = "long";

describe("a long session", () => {
	cleanUp();

	it("is at its end what a full read says, at every length, with the index and without it", async () => {
		for (let seed = 1; seed <= 10; seed += 1) {
			const { store, path } = await begun();
			const random = randomFrom(seed);
			const session = randomSession(random);
			for (let stage = 0; stage < 5; stage += 1) {
				await appendFile(path, session.lines(20 + random(120)));
				await assertSame(store, `seed ${seed}, stage ${stage}, with the index of before`);
				if (random(3) > 0) continue;
				await rm(join(dirname(path), "window.index"), { force: true });
				await assertSame(store, `seed ${seed}, stage ${stage}, indexed anew`);
			}
			const last = await store.load(ID);
			assert.ok(last.state.before, "it was never long");
		}
	});

	it("is read anew where its index is damaged, is of another file, or reaches beyond the file's end", async () => {
		const { store, path } = await begun();
		const session = randomSession(randomFrom(7));
		await writeFile(path, session.lines(200));
		const index = join(dirname(path), "window.index");
		const trouble: [string, () => Promise<void>][] = [
			["cut", async () => truncate(index, Math.floor((await stat(index)).size / 2))],
			["empty", () => writeFile(index, "")],
			[
				"flipped",
				async () =>
					writeFile(
						index,
						(await readFile(index)).map((byte, at) => (at === 999 ? byte ^ 1 : byte)),
					),
			],
			["of a file that lost its end", async () => truncate(path, Math.floor((await stat(path)).size * 0.7))],
			[
				"of a file whose end is another",
				async () => writeFile(path, `${(await readFile(path, "utf8")).slice(0, -800)}\n${session.lines(90)}`),
			],
			["of a file that was replaced", async () => writeAtomically(nodeFileSystem, path, randomSession(randomFrom(8)).lines(300))],
		];
		for (const [what, happens] of trouble) {
			await store.load(ID);
			await happens();
			await assertSame(store, what);
		}
	});

	it("has an end that nobody finished, and events that the disk has not taken yet", async () => {
		const { store, path } = await begun();
		const session = randomSession(randomFrom(9));
		await writeFile(path, session.lines(200));
		await appendFile(path, session.lines(1).trimEnd().slice(0, -9));
		await assertSame(store, "torn");
		const failing = failingFiles("write", (file) => file.endsWith("current.jsonl"));
		const other = openStore(join(path, "..", "..", ".."), { windowSizes: SMALL, files: failing.files });
		const { state } = await other.load(ID);
		failing.code = "ENOSPC";
		await assert.rejects(other.append(ID, userEvent(state.seq + 1, "waits")));
		await assertSame(other, "with what waits");
		assert.equal((await other.load(ID)).state.snippet, "waits");
	});

	it("is indexed with word of how far that is, once", async () => {
		const { store, path } = await begun();
		await writeFile(path, randomSession(randomFrom(10)).lines(400));
		const told: number[] = [];
		await store.load(ID, (part) => told.push(part));
		assert.ok(told.length > 3 && told.every((part, at) => part <= 1 && part > (told[at - 1] ?? 0)), String(told));
		const again: number[] = [];
		await store.load(ID, (part) => again.push(part));
		assert.deepEqual(again, []);
	});
});

async function begun(): Promise<{ root: string; store: DiskSessionStore; path: string }> {
	const root = await newFolder();
	const store = openStore(root, { windowSizes: SMALL });
	await store.create(summary(ID));
	return { root, store, path: transcriptOf(root, ID) };
}

/** Everything that the end of a session tells is what the fold of all of it tells. */
async function assertSame(store: DiskSessionStore, where: string): Promise<void> {
	const [{ state, damaged }, { events, damaged: all }, begins] = await Promise.all([store.load(ID), store.read(ID), store.identity(ID)]);
	const full = events.reduce(applyEvent, createTranscript(begins));
	assert.equal(damaged, all, where);
	const from = state.before?.seq ?? 0;
	assert.deepEqual(scalars(state), scalars(full), where);
	assert.deepEqual(state.events, full.events.slice(full.events.length - state.events.length), where);
	assert.equal(from === 0, state.events.length === full.events.length, where);
	assert.deepEqual(state.changed, full.changed, where);
	assert.deepEqual(state.run, full.run, where);
	const shown = full.plans.slice(full.plans.length - state.plans.length);
	assert.deepEqual(state.plans, shown, where);
	assert.ok(full.plans.slice(0, -20).every(({ event }) => event.seq <= from) || shown.length === full.plans.length, where);
	assertPart(state.calls, full.calls, ({ call, result }) => !result || within(full, call.id, from) || result.seq > from, where);
	assertPart(state.requests, full.requests, (request) => request.state === "pending" || request.event.seq > from, where);
	assertPart(
		new Map([...state.changedIn].filter(([turn]) => full.turn?.id === turn || begunAfter(full, turn, from))),
		full.changedIn,
		(_, turn) => full.turn?.id === turn || begunAfter(full, turn, from),
		where,
	);
	const hidden = full.events.filter(({ id }) => full.hidden.has(id));
	assert.deepEqual(state.hidden, new Set(hidden.filter(({ seq }) => seq > from).map(({ id }) => id)), where);
	const isHidden = (seq: number) => state.before?.hidden.some(([first, last]) => first <= seq && seq <= last) ?? false;
	assert.deepEqual(
		full.events.filter(({ seq }) => seq <= from && isHidden(seq)).map(({ seq }) => seq),
		hidden.filter(({ seq }) => seq <= from).map(({ seq }) => seq),
		where,
	);
	assert.equal(state.before?.hasRole ?? false, from > 0 && full.events.some(({ type, seq }) => type === "role" && seq <= from), where);
	assert.deepEqual(await pages(store, state), full.events.slice(0, full.events.length - state.events.length), where);
}

function scalars(state: Transcript): object {
	const { seq, createdAt, updatedAt, agent, role, turn, outcome, trimmed, usage, turnUsage, messages, title, snippet } = state;
	return { seq, createdAt, updatedAt, agent, role, turn, outcome, trimmed, usage, turnUsage, messages, title, snippet };
}

function assertPart<T>(part: Map<string, T>, full: Map<string, T>, mustBe: (entry: T, id: string) => boolean, where: string): void {
	for (const [id, entry] of part) assert.deepEqual(entry, full.get(id), where);
	const wanted = [...full].filter(([id, entry]) => mustBe(entry, id)).map(([id]) => id);
	assert.deepEqual(
		wanted.filter((id) => !part.has(id)),
		[],
		where,
	);
}

function within(full: Transcript, call: string, from: number): boolean {
	return full.events.some((event) => event.seq > from && event.type === "assistant" && event.calls?.some(({ id }) => id === call));
}

function begunAfter(full: Transcript, turn: string, from: number): boolean {
	const first = full.events.find((event) => event.turn === turn);
	return first !== undefined && first.seq > from;
}

async function pages(store: DiskSessionStore, state: Transcript): Promise<TranscriptEvent[]> {
	const found: TranscriptEvent[] = [];
	for (let before = (state.before?.seq ?? 0) + 1; ; before = found[0]?.seq ?? 0) {
		const page = await store.page(ID, before);
		if (page.length === 0) return found;
		found.unshift(...page);
	}
}
