// Going back: files as they were before a message, and nothing else.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { currentPlan } from "../../../src/core/transcript/state.ts";
import { formatSkippedFiles } from "../../../src/session/history/rewind.ts";
import type { Script } from "../../fakes/scriptedModel.ts";
import { edit, FILES, openRewind, session, type TestRewind } from "./rewindFixture.ts";
import { closeTestSessions, PLAN } from "./testSession.ts";

/** An actor that changes, creates, deletes and moves, and then edits what it has created and moved. */
const WORK: Script = [
	{
		calls: [
			edit("a.txt", "two", "TWO"),
			{ name: "create_file", input: { path: "sub/new.txt", content: "new\n" } },
			{ name: "delete_file", input: { path: "gone.txt" } },
			{ name: "rename_file", input: { from: "old.txt", to: "moved.txt" } },
		],
	},
	{ calls: [edit("sub/new.txt", "new", "newer"), edit("moved.txt", "moved", "MOVED"), edit("a.txt", "TWO", "TWO!")] },
	{ text: "Done." },
];

function everything({ text }: TestRewind): Record<string, string | undefined> {
	return Object.fromEntries(["a.txt", "gone.txt", "old.txt", "moved.txt", "sub/new.txt"].map((path) => [path, text(path)]));
}

const BEFORE = {
	"a.txt": "one\ntwo\n",
	"gone.txt": "to be deleted\n",
	"old.txt": "to be moved\n",
	"moved.txt": undefined,
	"sub/new.txt": undefined,
};
const AFTER = {
	"a.txt": "one\nTWO!\n",
	"gone.txt": undefined,
	"old.txt": undefined,
	"moved.txt": "to be MOVED\n",
	"sub/new.txt": "newer\n",
};

describe("undo to a message", () => {
	afterEach(closeTestSessions);

	it("brings back what was changed, deleted and moved since, removes what was created, and says so", async () => {
		const at = await openRewind(WORK);
		await at.say("Work");
		assert.deepEqual(everything(at), AFTER);
		at.host.answer = "Restore Files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), BEFORE);
		assert.deepEqual(at.host.asked[0]?.buttons, ["Restore Files", "Restore Files and Conversation"]);
		assert.match(
			at.host.asked[0]?.detail ?? "",
			/^These files will be restored:\n• moved\.txt\n• gone\.txt\n• a\.txt\n\nThese files will be deleted:\n• sub\/new\.txt$/,
		);
		assert.match(at.last().text, /^Restored 4 files to their state before “Work”: /);
		assert.deepEqual(at.said(), ["Work"]);
		assert.equal(at.session.state.changed.size, 0);
	});

	it("rewinds the conversation only where the person wants it, and changes nothing where they close the dialogue", async () => {
		const at = await openRewind([{ text: "Hi." }, ...(WORK as [])]);
		await at.say("Hello");
		await at.say("Work");
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual([everything(at), at.said()], [AFTER, ["Hello", "Work"]]);
		at.host.answer = "Restore Files and Conversation";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual([everything(at), at.said()], [BEFORE, ["Hello"]]);
		assert.ok(at.session.state.events.some((event) => event.type === "user" && event.text === "Work"));
	});

	it("leaves what the person has changed since, and names it before and after", async () => {
		const at = await openRewind(WORK);
		await at.say("Work");
		at.write("a.txt", "one\nTWO!\nand mine\n");
		at.write("gone.txt", "mine, too\n");
		at.write("old.txt", "somebody's\n");
		at.host.answer = "Restore Files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), {
			"a.txt": "one\nTWO!\nand mine\n",
			"gone.txt": "mine, too\n",
			"old.txt": "somebody's\n",
			"moved.txt": "to be MOVED\n",
			"sub/new.txt": undefined,
		});
		for (const words of [at.host.asked[0]?.detail ?? "", at.last().text]) {
			assert.match(words, /a\.txt.*changed later, by you/);
			assert.match(words, /gone\.txt.*created again/);
			assert.match(words, /moved\.txt.*[Aa]nother file exists at old\.txt/);
		}
	});

	it("leaves a file that the person changed between two changes of the agent", async () => {
		const at = await openRewind([
			{ calls: [edit("a.txt", "two", "TWO")] },
			{ text: "." },
			{ calls: [{ name: "read_file", input: { path: "a.txt" } }] },
			{ calls: [edit("a.txt", "TWO", "TWO!")] },
			{ text: "." },
		]);
		await at.say("First");
		at.write("a.txt", "mine\nTWO\n");
		await at.say("Second");
		await at.acts.rewind({ type: "rewind", session, message: at.id("First") });
		assert.match(at.host.asked[0]?.detail ?? "", /These files will not be changed:\n• a\.txt/);
		assert.equal(at.text("a.txt"), "mine\nTWO!\n");
		at.host.answer = "Restore Files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Second") });
		assert.equal(at.text("a.txt"), "mine\nTWO\n");
	});

	it("leaves what an editor holds unsaved", async () => {
		const at = await openRewind(WORK);
		await at.say("Work");
		at.app.services.window.workspace.unsaved = (path) => path.endsWith("a.txt");
		at.host.answer = "Restore Files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), { ...BEFORE, "a.txt": AFTER["a.txt"] });
		assert.match(at.last().text, /a\.txt was not changed\. The file has unsaved changes in an editor\./);
	});

	it("names ten files that it left, and counts the others", () => {
		const left = Array.from({ length: 12 }, (_, place) => ({ path: `${place}.txt`, why: "It is gone." }));
		assert.match(formatSkippedFiles(left), /^ 0\.txt was not changed\. It is gone\. .* 9\.txt was .* 2 more files were not changed\.$/);
		assert.match(formatSkippedFiles(left.slice(1)), / 1 more file was not changed\.$/);
		assert.match(formatSkippedFiles(left.slice(2)), / 11\.txt was not changed\. It is gone\.$/);
	});

	it("touches only what was changed since that message", async () => {
		const at = await openRewind([
			{ calls: [edit("a.txt", "two", "TWO")] },
			{ text: "." },
			{ calls: [edit("old.txt", "moved", "edited")] },
			{ text: "." },
		]);
		await at.say("First");
		await at.say("Second");
		at.host.answer = "Restore Files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Second") });
		assert.deepEqual([at.text("a.txt"), at.text("old.txt")], ["one\nTWO\n", "to be moved\n"]);
	});

	it("leaves nothing to review of what it restored, whatever of it had been kept, and what was changed before", async () => {
		const at = await openRewind([
			{ calls: [edit("a.txt", "one", "ONE")] },
			{ text: "First." },
			{ calls: [edit("a.txt", "two", "TWO"), edit("old.txt", "moved", "edited")] },
			{ text: "Second." },
		]);
		const { review } = at.app.sessions;
		await at.say("First");
		await at.say("Second");
		await review.keep(["a.txt", "old.txt"]);
		at.host.answer = "Restore Files and Conversation";
		await at.acts.rewind({ type: "rewind", session: at.summary.sessionId, message: at.id("Second") });
		assert.deepEqual([at.text("a.txt"), at.text("old.txt")], ["ONE\ntwo\n", FILES["old.txt"]]);
		const [file, ...others] = review.files();
		assert.deepEqual([file?.path, others], ["a.txt", []]);
		const original = await at.app.services.blobs.get(file?.original?.blob ?? "");
		assert.equal(Buffer.from(original ?? []).toString(), FILES["a.txt"]);
	});

	it("restores what a command changed", async () => {
		const at = await openRewind([
			{ calls: [{ name: "execute_command", input: { command: "rm gone.txt; printf made > made.txt" } }] },
			{ text: "." },
		]);
		await at.say("Run it");
		assert.deepEqual([at.text("gone.txt"), at.text("made.txt")], [undefined, "made"]);
		at.host.answer = "Restore Files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Run it") });
		assert.deepEqual([at.text("gone.txt"), at.text("made.txt")], ["to be deleted\n", undefined]);
	});

	it("works after a reload, also where a host that died had done a part of it", async () => {
		const first = await openRewind(WORK);
		await first.say("Work");
		const home = dirname(first.app.folder);
		await first.app.services.blobs.put(Buffer.from(AFTER["a.txt"]));
		// As if it had been killed on the way: some files are restored, one is half written, one is not moved yet.
		first.write("gone.txt", "to be del");
		first.write("a.txt", "one\ntwo\n\n");
		first.write("moved.txt", "to be moved\n");
		rmSync(join(first.app.folder, "sub/new.txt"));
		await first.app.sessions.close();
		const at = await openRewind([], { home, files: {} });
		at.host.answer = "Restore Files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), BEFORE);
		assert.equal(at.session.state.changed.size, 0);
		assert.match(at.last().text, /^Restored 4 files/);
	});

	it("can be undone again to the same message once more has been changed", async () => {
		const at = await openRewind([
			...(WORK as []),
			{ calls: [{ name: "read_file", input: { path: "a.txt" } }] },
			{ calls: [edit("a.txt", "two", "2")] },
			{ text: "." },
		]);
		await at.say("Work");
		at.host.answer = "Restore Files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		await at.say("More");
		assert.equal(at.text("a.txt"), "one\n2\n");
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), BEFORE);
	});

	it("puts the message back into the composer, to be said in other words", async () => {
		const at = await openRewind([{ text: "First." }, { text: "Second." }]);
		await at.say("First");
		await at.say("Second");
		const { sessions } = at.app;
		const id = at.summary.sessionId;
		assert.equal(sessions.takeReturned(id), undefined);
		at.host.answer = "Restore Conversation";
		await at.acts.rewind({ type: "rewind", session: id, message: at.id("Second") });
		assert.deepEqual([at.said(), sessions.takeReturned(id)], [["First"], { text: "Second" }]);
	});

	it("takes back the approval of a plan with its message", async () => {
		const at = await openRewind([{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Carried out." }], { role: "planner" });
		await at.say("Plan it");
		await at.session.executePlan({});
		assert.equal(at.session.state.role, "actor");
		at.host.answer = "Restore Conversation";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Execute the plan.") });
		const { role, run } = at.session.state;
		assert.deepEqual([role, run, currentPlan(at.session.state)?.state, at.said()], ["planner", undefined, "proposed", ["Plan it"]]);
	});

	it("is refused while a turn runs", async () => {
		let go: () => void = () => undefined;
		const until = new Promise<void>((resolve) => {
			go = resolve;
		});
		const at = await openRewind([{ text: "Slow.", until }]);
		const turn = at.say("Work");
		await at.event("started");
		for (const act of [
			() => at.acts.rewind({ type: "rewind", session, message: at.id("Work") }),
			() => at.acts.retry({ type: "retry", session }),
			() => at.acts.resend({ type: "resend", session, message: at.id("Work"), text: "Other" }),
		]) {
			await assert.rejects(act, { code: "turn-running" });
		}
		go();
		await turn;
	});
});
