// Counts what a call in the middle of a turn asks of the disk.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { countDiskQuestions, type DiskQuestions } from "../../fakes/countingDisk.ts";
import { closeTestSessions, openTestSession } from "./testSession.ts";

const PATH = "a/b/c/cart.ts";
const FILES = { [PATH]: "one\n", "README.md": "# Cart\n" };

interface Case {
	name: string;
	call: { name: string; input: Record<string, unknown> };
	/** Calls of the same kind before it. */
	before?: { name: string; input: Record<string, unknown> }[];
	/** The most questions, and the most that find nothing. */
	most: [asked: number, inVain: number];
}

const read = { name: "read_file", input: { path: PATH } };
const edit = (old: string, now: string) => ({ name: "update_file", input: { path: PATH, old, new: now } });
const run = (command: string) => ({ name: "execute_command", input: { command } });
const list = { name: "list_directory", input: { path: "many" } };
const search = { name: "search_code", input: { pattern: "one", path: "many" } };

const cases: Case[] = [
	{ name: "reads a file", call: read, most: [25, 3] },
	// Before a write, each folder is asked again whether it is a git folder.
	{ name: "edits a file", call: edit("two", "three"), before: [read, edit("one", "two")], most: [25, 8] },
	{ name: "runs a plain command", call: run("ls a/b/c"), most: [25, 3] },
	{ name: "runs a command that reads a file", call: run(`cat ${PATH}`), most: [25, 3] },
];

describe("a call three folders deep in a repository", () => {
	const now = Date.now;
	afterEach(async () => {
		Date.now = now;
		await closeTestSessions();
	});

	for (const {
		name,
		call,
		before = [call],
		most: [most, inVain],
	} of cases)
		it(`asks the disk at most ${most} times if it ${name}, and at most ${inVain} times in vain`, async () => {
			const { asked, missing } = await questionsOf(call, before);
			assert.ok(asked.length > 3, "counts nothing");
			assert.ok(asked.length <= most, `${asked.length} questions, ${missing.length} in vain:\n${asked.join("\n")}`);
			assert.ok(missing.length <= inVain, `${missing.length} in vain:\n${missing.join("\n")}`);
		});

	for (const [name, call] of [
		["lists", list],
		["searches", search],
	] as const)
		it(`asks once for each of 100 files if it ${name} their folder`, async () => {
			const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`many/file${index}.ts`, "one\n"]));
			const { asked } = await questionsOf(call, [call], many);
			const listed = asked.filter((question) => question.includes("/many/"));
			assert.ok(listed.length >= 100, "does not look at them");
			assert.ok(asked.length <= 100 + 25, `${asked.length} questions:\n${asked.join("\n")}`);
		});

	/** What the last call asks, in a turn that made the others before. What recording the session asks is not counted, nor who runs. */
	async function questionsOf(call: Case["call"], before: readonly Case["call"][], more: Record<string, string> = {}) {
		const calls = [...before, call];
		let questions: DiskQuestions | undefined;
		const counts = (path: string): boolean =>
			!path.includes("/storage/sessions/") && !path.includes("/.index.json") && !path.startsWith("/proc/");
		const setup = await openTestSession(
			(_, index) => {
				if (index === calls.length - 1) questions = countDiskQuestions(counts);
				else questions?.restore();
				const next = calls[index];
				return next ? { calls: [next as never] } : { text: "Done." };
			},
			{ files: { ...FILES, ...more }, role: "actor", settings: { approval: "auto" } },
		);
		execFileSync("git", ["init", "-q"], { cwd: setup.app.folder });
		execFileSync("git", ["add", "."], { cwd: setup.app.folder });
		execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "-qm", "first"], { cwd: setup.app.folder });
		// Folders that have just changed are not trusted to tell of the next change.
		Date.now = () => now() + 60_000;
		await setup.session.send("Go");
		const last = [...setup.session.state.calls.values()].at(-1)?.result;
		assert.equal(last?.status, "ok", last?.output);
		assert.ok(questions, "the call was not made");
		return questions;
	}
});
