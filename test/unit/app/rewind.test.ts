// Going back: files as they were before a message and nothing else, another answer to it, and on after a failure.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rewindActs } from "../../../src/app/rewindActs.ts";
import type { EventOf, FileChange } from "../../../src/core/events.ts";
import { ModelError, type ModelRequest } from "../../../src/core/model.ts";
import { currentPlan, visibleEvents } from "../../../src/core/transcript.ts";
import type { Script } from "../../fakes/scriptedModel.ts";
import { composing, rewindHost } from "./rewindStage.ts";
import { PLAN, type Stage, stage, strike } from "./stage.ts";

const FILES = { "a.txt": "one\ntwo\n", "gone.txt": "to be deleted\n", "old.txt": "to be moved\n" };
const edit = (path: string, old: string, words: string) => ({ name: "update_file", input: { path, old, new: words } });

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

interface Scene extends Stage {
	acts: ReturnType<typeof rewindActs>;
	host: ReturnType<typeof rewindHost>;
	say(text: string): Promise<unknown>;
	text(path: string): string | undefined;
	write(path: string, content: string): void;
	/** What the person has said that still counts. */
	said(): string[];
	id(text: string): string;
	last(): EventOf<"status">;
}

async function scene(script: Script, options: Parameters<typeof stage>[1] = {}): Promise<Scene> {
	const set = await stage(script, { files: FILES, role: "actor", settings: { approval: "auto" }, ...options });
	const { conversation, house } = set;
	const host = rewindHost();
	const at = (path: string) => join(house.folder, path);
	// What deletes asks in every mode.
	house.conversations.listen({
		event(_, event) {
			if (event.type !== "asked") return;
			set.clock.ahead += 1_000;
			void conversation.answer(event.request, { allow: true }, "person", event.hash);
		},
	});
	return {
		...set,
		host,
		acts: rewindActs({
			on: async () => conversation,
			host,
			bring: composing,
			giveBack: (id, message) => house.conversations.giveBack(id, message),
		}),
		say: (text) => conversation.send(text),
		text: (path) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined),
		write(path, content) {
			mkdirSync(dirname(at(path)), { recursive: true });
			writeFileSync(at(path), content);
		},
		said: () => visibleEvents(conversation.state).flatMap((event) => (event.type === "user" ? [event.text] : [])),
		id: (text) => conversation.state.events.find((event) => event.type === "user" && event.text === text)?.id ?? assert.fail(text),
		last: () => conversation.state.events.findLast((event) => event.type === "status") as EventOf<"status">,
	};
}

function everything({ text }: Scene): Record<string, string | undefined> {
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

const session = "s";
const saidTo = ({ events }: ModelRequest) => events.flatMap((event) => (event.type === "user" ? [event.text] : []));

describe("undo to a message", () => {
	afterEach(strike);

	it("brings back what was changed, deleted and moved since, removes what was created, and says so", async () => {
		const at = await scene(WORK);
		await at.say("Work");
		assert.deepEqual(everything(at), AFTER);
		at.host.answer = "Restore files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), BEFORE);
		assert.deepEqual(at.host.asked[0]?.buttons, ["Restore files", "Restore files and rewind the conversation"]);
		assert.match(at.host.asked[0]?.detail ?? "", /^To be restored:\n• sub\/new\.txt\n• moved\.txt\n• gone\.txt\n• a\.txt$/);
		assert.match(at.last().text, /^Restored 4 files to what they were before “Work”: /);
		assert.deepEqual(at.said(), ["Work"]);
		assert.equal(at.conversation.state.changed.size, 0);
	});

	it("rewinds the conversation only where the person wants it, and changes nothing where they close the dialogue", async () => {
		const at = await scene([{ text: "Hi." }, ...(WORK as [])]);
		await at.say("Hello");
		await at.say("Work");
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual([everything(at), at.said()], [AFTER, ["Hello", "Work"]]);
		at.host.answer = "Restore files and rewind the conversation";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual([everything(at), at.said()], [BEFORE, ["Hello"]]);
		assert.ok(at.conversation.state.events.some((event) => event.type === "user" && event.text === "Work"));
	});

	it("leaves what the person has changed since, and names it before and after", async () => {
		const at = await scene(WORK);
		await at.say("Work");
		at.write("a.txt", "one\nTWO!\nand mine\n");
		at.write("gone.txt", "mine, too\n");
		at.write("old.txt", "somebody's\n");
		at.host.answer = "Restore files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), {
			"a.txt": "one\nTWO!\nand mine\n",
			"gone.txt": "mine, too\n",
			"old.txt": "somebody's\n",
			"moved.txt": "to be MOVED\n",
			"sub/new.txt": undefined,
		});
		for (const words of [at.host.asked[0]?.detail ?? "", at.last().text]) {
			assert.match(words, /a\.txt.*changed since, by you/);
			assert.match(words, /gone\.txt.*there again/);
			assert.match(words, /moved\.txt.*another file at old\.txt/);
		}
	});

	it("leaves a file that the person changed between two changes of the agent", async () => {
		const at = await scene([
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
		assert.match(at.host.asked[0]?.detail ?? "", /Stay as they are:\n• a\.txt/);
		assert.equal(at.text("a.txt"), "mine\nTWO!\n");
		at.host.answer = "Restore files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Second") });
		assert.equal(at.text("a.txt"), "mine\nTWO\n");
	});

	it("leaves what an editor holds unsaved", async () => {
		const at = await scene(WORK);
		await at.say("Work");
		at.house.services.workspace.unsaved = (path) => path.endsWith("a.txt");
		at.host.answer = "Restore files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), { ...BEFORE, "a.txt": AFTER["a.txt"] });
		assert.match(at.last().text, /a\.txt \(It has unsaved changes in an editor\)/);
	});

	it("touches only what was changed since that message", async () => {
		const at = await scene([
			{ calls: [edit("a.txt", "two", "TWO")] },
			{ text: "." },
			{ calls: [edit("old.txt", "moved", "edited")] },
			{ text: "." },
		]);
		await at.say("First");
		await at.say("Second");
		at.host.answer = "Restore files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Second") });
		assert.deepEqual([at.text("a.txt"), at.text("old.txt")], ["one\nTWO\n", "to be moved\n"]);
	});

	it("leaves nothing to review of what it restored, whatever of it had been kept, and what was changed before", async () => {
		const at = await scene([
			{ calls: [edit("a.txt", "one", "ONE")] },
			{ text: "First." },
			{ calls: [edit("a.txt", "two", "TWO"), edit("old.txt", "moved", "edited")] },
			{ text: "Second." },
		]);
		const { review } = at.house.conversations;
		await at.say("First");
		await at.say("Second");
		await review.keep(["a.txt", "old.txt"]);
		at.host.answer = "Restore files and rewind the conversation";
		await at.acts.rewind({ type: "rewind", session: at.session.sessionId, message: at.id("Second") });
		assert.deepEqual([at.text("a.txt"), at.text("old.txt")], ["ONE\ntwo\n", FILES["old.txt"]]);
		const [file, ...others] = review.files();
		assert.deepEqual([file?.path, others], ["a.txt", []]);
		const original = await at.house.services.blobs.get(file?.original?.blob ?? "");
		assert.equal(Buffer.from(original ?? []).toString(), FILES["a.txt"]);
	});

	it("restores what a command changed", async () => {
		const at = await scene([
			{ calls: [{ name: "execute_command", input: { command: "rm gone.txt; printf made > made.txt" } }] },
			{ text: "." },
		]);
		await at.say("Run it");
		assert.deepEqual([at.text("gone.txt"), at.text("made.txt")], [undefined, "made"]);
		at.host.answer = "Restore files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Run it") });
		assert.deepEqual([at.text("gone.txt"), at.text("made.txt")], ["to be deleted\n", undefined]);
	});

	it("works after a reload, also where a host that died had done a part of it", async () => {
		const first = await scene(WORK);
		await first.say("Work");
		const home = dirname(first.house.folder);
		await first.house.services.blobs.put(Buffer.from(AFTER["a.txt"]));
		// As if it had been killed on the way: some files are restored, one is half written, one is not moved yet.
		first.write("gone.txt", "to be del");
		first.write("a.txt", "one\ntwo\n\n");
		first.write("moved.txt", "to be moved\n");
		rmSync(join(first.house.folder, "sub/new.txt"));
		await first.house.conversations.close();
		const at = await scene([], { home, files: {} });
		at.host.answer = "Restore files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), BEFORE);
		assert.equal(at.conversation.state.changed.size, 0);
		assert.match(at.last().text, /^Restored 4 files/);
	});

	it("can be undone again to the same message once more has been changed", async () => {
		const at = await scene([
			...(WORK as []),
			{ calls: [{ name: "read_file", input: { path: "a.txt" } }] },
			{ calls: [edit("a.txt", "two", "2")] },
			{ text: "." },
		]);
		await at.say("Work");
		at.host.answer = "Restore files";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		await at.say("More");
		assert.equal(at.text("a.txt"), "one\n2\n");
		await at.acts.rewind({ type: "rewind", session, message: at.id("Work") });
		assert.deepEqual(everything(at), BEFORE);
	});

	it("puts the message back into the composer, to be said in other words", async () => {
		const at = await scene([{ text: "First." }, { text: "Second." }]);
		await at.say("First");
		await at.say("Second");
		const { conversations } = at.house;
		const id = at.session.sessionId;
		assert.equal(conversations.takeReturned(id), undefined);
		at.host.answer = "Rewind the conversation";
		await at.acts.rewind({ type: "rewind", session: id, message: at.id("Second") });
		assert.deepEqual([at.said(), conversations.takeReturned(id)], [["First"], { text: "Second" }]);
	});

	it("takes back the approval of a plan with its message", async () => {
		const at = await scene([{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Carried out." }], { role: "planner" });
		await at.say("Plan it");
		await at.conversation.executePlan({});
		assert.equal(at.conversation.state.role, "actor");
		at.host.answer = "Rewind the conversation";
		await at.acts.rewind({ type: "rewind", session, message: at.id("Execute the plan.") });
		const { role, run } = at.conversation.state;
		assert.deepEqual([role, run, currentPlan(at.conversation.state)?.state, at.said()], ["planner", undefined, "proposed", ["Plan it"]]);
	});

	it("is refused while a turn runs", async () => {
		let go: () => void = () => undefined;
		const until = new Promise<void>((resolve) => {
			go = resolve;
		});
		const at = await scene([{ text: "Slow.", until }]);
		const turn = at.say("Work");
		await at.event("started");
		for (const act of [
			() => at.acts.rewind({ type: "rewind", session, message: at.id("Work") }),
			() => at.acts.retry({ type: "retry", session }),
			() => at.acts.resend({ type: "resend", session, message: at.id("Work"), text: "Other" }),
		]) {
			await assert.rejects(act, /A turn is running/);
		}
		go();
		await turn;
	});
});

describe("another answer", () => {
	afterEach(strike);

	it("is asked for with the same message and without the one before", async () => {
		const at = await scene([{ text: "First." }, { text: "Second." }]);
		await at.say("Tell me");
		await at.acts.retry({ type: "retry", session });
		assert.deepEqual(at.model.requests.map(saidTo), [["Tell me"], ["Tell me"]]);
		assert.ok(!at.model.requests[1]?.events.some((event) => event.type === "assistant"));
		assert.deepEqual([at.said(), at.conversation.state.messages, at.host.asked], [["Tell me"], 2, []]);
	});

	it("asks first what becomes of the files that the old one changed", async () => {
		const at = await scene([
			{ calls: [edit("a.txt", "two", "TWO")] },
			{ text: "." },
			{ calls: [edit("a.txt", "two", "2")] },
			{ text: "." },
			{ text: "." },
		]);
		await at.say("Change it");
		await at.acts.retry({ type: "retry", session });
		assert.deepEqual([at.said(), at.model.requests.length], [["Change it"], 2]);
		at.host.answer = "Restore files and retry";
		await at.acts.retry({ type: "retry", session });
		assert.equal(at.text("a.txt"), "one\n2\n");
		at.host.answer = "Keep files and retry";
		await at.acts.retry({ type: "retry", session });
		assert.equal(at.text("a.txt"), "one\n2\n");
		assert.equal(at.conversation.state.changed.get("a.txt")?.original?.blob, change(at, "change").before?.blob);
	});

	it("comes to other words in place of the last message, which stays in the transcript", async () => {
		const at = await scene([{ text: "First." }, { text: "Second." }]);
		await at.say("Tell me");
		await at.acts.resend({ type: "resend", session, message: at.id("Tell me"), text: "Tell me more" });
		assert.deepEqual(at.model.requests.map(saidTo), [["Tell me"], ["Tell me more"]]);
		assert.deepEqual([at.said(), at.conversation.state.title], [["Tell me more"], "Tell me more"]);
		assert.ok(at.conversation.state.events.some((event) => event.type === "user" && event.text === "Tell me"));
		await assert.rejects(
			async () => at.acts.resend({ type: "resend", session, message: at.id("Tell me"), text: "x" }),
			/not in this conversation/,
		);
	});

	it("does not carry out a plan again that nobody approved again", async () => {
		const at = await scene([{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Carried out." }], { role: "planner" });
		await at.say("Plan it");
		await at.conversation.executePlan({});
		await assert.rejects(async () => at.acts.retry({ type: "retry", session }), /Execute the plan again/);
	});

	it("never gives two plans the same version", async () => {
		const plan = { calls: [{ name: "present_plan", input: PLAN }] };
		const at = await scene([plan, plan, plan], { role: "planner" });
		await at.say("Plan it");
		await at.say("Again");
		await at.acts.retry({ type: "retry", session });
		const versions = at.conversation.state.events.flatMap((event) => (event.type === "plan" ? [event.version] : []));
		assert.deepEqual(versions, [1, 2, 3]);
	});
});

describe("after a failure", () => {
	afterEach(strike);

	const broken = (kind: "auth" | "cut") => new ModelError(kind, "It failed.");

	it("the same question is asked where nothing of an answer had come", async () => {
		const at = await scene([{ text: "Hi." }, { error: broken("auth") }, { text: "Here you are." }]);
		await at.say("Hello");
		await at.say("Tell me");
		assert.equal(at.conversation.state.outcome, "failed");
		await at.acts.continue({ type: "continue", session });
		assert.deepEqual(at.model.requests.map(saidTo).at(-1), ["Hello", "Tell me"]);
		assert.deepEqual([at.said(), at.conversation.state.messages], [["Hello", "Tell me"], 4]);
	});

	it("an answer that was cut goes on, and nobody pretends that the person said so", async () => {
		const at = await scene([{ text: "Once upon", error: broken("cut") }, { text: "a time." }]);
		await at.say("Tell me");
		await at.acts.continue({ type: "continue", session });
		const added = at.conversation.state.events.findLast((event) => event.type === "user");
		assert.deepEqual([added?.by, added?.text], ["host", "Go on."]);
		assert.match(added?.type === "user" ? (added.context ?? "") : "", /broke off .* repeat nothing/);
		const { messages, title, snippet } = at.conversation.state;
		assert.deepEqual([messages, title, snippet], [3, "Tell me", "a time."]);
	});

	it("going on that fails at once is tried again, without piling up", async () => {
		const at = await scene([{ text: "Once upon", error: broken("cut") }, { error: broken("auth") }, { text: "a time." }]);
		await at.say("Tell me");
		await at.acts.continue({ type: "continue", session });
		await at.acts.continue({ type: "continue", session });
		assert.deepEqual(at.said(), ["Tell me", "Go on."]);
	});

	it("work that was done is not done again", async () => {
		const at = await scene([{ calls: [edit("a.txt", "two", "TWO")] }, { error: broken("cut") }, { text: "Done." }]);
		await at.say("Change it");
		await at.acts.continue({ type: "continue", session });
		assert.deepEqual([at.text("a.txt"), at.said()], ["one\nTWO\n", ["Change it", "Go on."]]);
		assert.ok(at.model.requests.at(-1)?.events.some((event) => event.type === "result"));
	});
});

function change({ conversation }: Stage, kind: "change"): FileChange {
	const result = conversation.state.events.find((event) => event.type === "result" && event.view?.kind === kind) as EventOf<"result">;
	return (result.view?.kind === "change" ? result.view.changes[0] : undefined) ?? assert.fail();
}
