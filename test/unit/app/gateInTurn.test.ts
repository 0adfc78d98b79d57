// What the gate means in a running turn: planners change nothing, approvals bind to what was shown, denials carry words.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EDIT, FILES, results, stage, strike } from "./stage.ts";

const run = (command: string) => ({ calls: [{ name: "execute_command", input: { command } }] });

describe("a turn behind the gate", () => {
	afterEach(strike);

	it("lets a planner change nothing, even with a grant and in the automatic mode", async () => {
		const { conversation, house } = await stage([{ calls: [EDIT] }, { text: "Well." }], { files: FILES, settings: { approval: "auto" } });
		await house.services.grants.add({
			agent: "default",
			tool: "update_file",
			class: "update_file",
			workspace: house.folder,
			at: "2026-01-01T00:00:00Z",
		});
		await conversation.send("Change it");
		const [call] = [...conversation.state.calls.values()];
		assert.equal(call?.result?.status, "denied");
		assert.deepEqual(call?.result?.view, { kind: "denied", layer: "role", offerRole: "actor" });
		assert.equal(readFileSync(join(house.folder, "src/hello.ts"), "utf8"), FILES["src/hello.ts"]);
	});

	it("asks before a command, refuses an answer that comes too early, and runs it once allowed", async () => {
		const scene = await stage([run("touch made"), { text: "Done." }], { files: FILES, role: "actor" });
		const turn = scene.conversation.send("Make it");
		const asked = await scene.event("asked");
		await assert.rejects(scene.conversation.answer(asked.request, { allow: true }, "person", asked.hash), /too early/);
		await assert.rejects(scene.conversation.answer(asked.request, { allow: true }, "person", "0".repeat(64)), /another content/);
		assert.equal(existsSync(join(scene.house.folder, "made")), false);
		await scene.answer({ allow: true });
		assert.equal((await turn).outcome, "done");
		assert.equal(existsSync(join(scene.house.folder, "made")), true);
		await assert.rejects(scene.conversation.answer(asked.request, { allow: true }, "person", asked.hash), /expired or was answered/);
	});

	it("tells the model why the person said no, and runs nothing", async () => {
		const scene = await stage([run("touch made"), { text: "Understood." }], { files: FILES, role: "actor" });
		const turn = scene.conversation.send("Make it");
		await scene.answer({ allow: false, reason: "not in this folder" });
		await turn;
		const [result] = results(scene.conversation);
		assert.equal(result?.status, "denied");
		assert.match(result?.output ?? "", /not in this folder/);
		assert.equal(existsSync(join(scene.house.folder, "made")), false);
	});

	it("lets pending approvals expire when the turn is stopped, and late answers do nothing", async () => {
		const scene = await stage([run("touch made")], { files: FILES, role: "actor" });
		const turn = scene.conversation.send("Make it");
		const asked = await scene.event("asked");
		await scene.conversation.cancel();
		assert.equal((await turn).outcome, "cancelled");
		scene.clock.ahead += 1_000;
		await assert.rejects(scene.conversation.answer(asked.request, { allow: true }, "person", asked.hash), /expired/);
		assert.equal(results(scene.conversation)[0]?.status, "cancelled");
		assert.equal(existsSync(join(scene.house.folder, "made")), false);
	});

	it("remembers what is always allowed, for that command and no other", async () => {
		const scene = await stage([run("touch made"), { text: "1" }, run("touch made"), { text: "2" }, run("mkdir made2"), { text: "3" }], {
			files: FILES,
			role: "actor",
		});
		const first = scene.conversation.send("Make it");
		await scene.answer({ allow: true, always: true });
		await first;
		assert.equal((await scene.conversation.send("Again")).outcome, "done");
		assert.equal(scene.types().filter((type) => type === "asked").length, 1);
		const third = scene.conversation.send("Another");
		await scene.event("asked", ({ summary }) => summary.includes("made2"));
		await scene.conversation.cancel();
		await third;
	});

	it("stops a model that goes round in circles and asks the person", async () => {
		const read = { calls: [{ name: "read_file", input: { path: "README.md" } }] };
		const scene = await stage([read, read, read, { text: "Out." }], { files: FILES });
		const turn = scene.conversation.send("Read");
		const asked = await scene.event("asked");
		assert.match(asked.reason, /repeats itself/);
		await scene.answer({ allow: false });
		assert.equal((await turn).outcome, "done");
	});

	it("never runs a call whose arguments are not valid JSON, and gives up after three", async () => {
		const broken = { raw: [{ name: "create_file", arguments: '{"path": "a.txt", "content": "x' }] };
		const { conversation, house } = await stage([broken, broken, broken], { files: FILES, role: "actor", settings: { approval: "auto" } });
		assert.equal((await conversation.send("Write")).outcome, "failed");
		assert.deepEqual(
			results(conversation).map(({ status }) => status),
			["error", "error", "error"],
		);
		assert.equal(existsSync(join(house.folder, "a.txt")), false);
	});

	it("starts no turn in Restricted Mode, and keeps the words", async () => {
		const { conversation, model } = await stage([{ text: "Hi." }], { files: FILES, restricted: "Not trusted." });
		await assert.rejects(conversation.send("Hello"), /Not trusted/);
		assert.equal(model.requests.length, 0);
	});

	it("stops the turn when the role is narrowed, and lets it run on when it is widened", async () => {
		const scene = await stage([run("touch made"), { text: "Done." }], { files: FILES, role: "actor" });
		const turn = scene.conversation.send("Make it");
		await scene.event("asked");
		await scene.conversation.setRole("planner");
		assert.equal((await turn).outcome, "cancelled");
		assert.equal(scene.conversation.state.role, "planner");
	});
});
