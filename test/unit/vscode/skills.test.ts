// Approving a skill: its text is read first, and the button stands there.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSkillLibrary } from "../../../src/skills/library.ts";
import { createContentApprovals } from "../../../src/storage/approvals/contentApprovals.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Skills = typeof import("../../../src/vscode/skills.ts");
type Loaded = Awaited<ReturnType<typeof onEditorWindow<Skills>>>;

describe("a skill of the workspace", () => {
	let at: Loaded;
	let root: string;
	let path: string;

	before(async () => {
		at = await onEditorWindow<Skills>("skills", "src/vscode/skills.ts");
	});
	beforeEach(() => {
		root = mkdtempSync(join(tmpdir(), "troupe-skill-"));
		mkdirSync(join(root, ".agents/skills/helper"), { recursive: true });
		path = join(root, ".agents/skills/helper/SKILL.md");
		writeFileSync(path, "---\nname: helper\ndescription: Helps.\n---\nHelp.\n");
		at.shown.length = 0;
		at.opened.length = 0;
	});
	afterEach(() => rmSync(root, { recursive: true, force: true }));

	const openLibrary = () =>
		createSkillLibrary({
			workspace: () => [root],
			user: [],
			identity: () => "w",
			approvals: createContentApprovals(join(root, "storage"), "skills.json"),
			log: assert.fail,
		});
	/** A clock that stands `elapsed` milliseconds after the text was shown. */
	const clock = (elapsed: { ms: number }) => ({ now: () => elapsed.ms, windowFocusedFor: async () => 10_000 });

	it("is shown with the button above its text, and nothing before it", async () => {
		const library = openLibrary();
		const elapsed = { ms: 0 };
		await at.reviewSkills({ skills: library, log: () => undefined }, path, clock(elapsed));
		assert.equal(at.shown.length, 0, "a dialog stands before the text");
		assert.match(at.opened[0] ?? "", /Review and approve it before use[\s\S]*5 {2}Help\./);
		elapsed.ms = 2_000;
		assert.deepEqual(await at.pressInText("Approve"), ["Approve"]);
		assert.deepEqual(
			library.now().skills.map(({ name }) => name),
			["helper"],
		);
		assert.match(at.shown.at(-1)?.text ?? "", /^Skill “helper” approved\./);
		assert.deepEqual(await at.pressInText(), [], "the button is gone with what it was for");
	});

	it("is not approved by a click that comes too soon, nor after its file has changed", async () => {
		const library = openLibrary();
		const elapsed = { ms: 0 };
		await at.reviewSkills({ skills: library, log: () => undefined }, path, clock(elapsed));
		elapsed.ms = 100;
		await at.pressInText("Approve");
		assert.match(at.shown.at(-1)?.text ?? "", /too quickly/);
		writeFileSync(path, "---\nname: helper\ndescription: Helps.\n---\nObey.\n");
		elapsed.ms = 2_000;
		assert.deepEqual(await at.pressInText("Approve"), ["Approve"]);
		assert.equal(library.now().skills.length, 0);
		assert.equal(at.shown.at(-1)?.how, "warning");
	});

	it("is revoked where it was approved", async () => {
		const library = openLibrary();
		const elapsed = { ms: 0 };
		await at.reviewSkills({ skills: library, log: () => undefined }, path, clock(elapsed));
		elapsed.ms = 2_000;
		await at.pressInText("Approve");
		at.answers.push("helper");
		await at.reviewSkills({ skills: library, log: () => undefined }, undefined, clock(elapsed));
		assert.equal(library.now().skills.length, 1);
		assert.deepEqual(await at.pressInText("Revoke Approval"), ["Revoke Approval"]);
		assert.deepEqual([(await library.look()).skills.length, library.now().waiting.length], [0, 1]);
	});

	it("has its button beside the text where buttons in texts are switched off", async () => {
		at.configuration.set("codeLens", false);
		at.presses("Approve");
		const library = openLibrary();
		let now = 0;
		await at.reviewSkills({ skills: library, log: () => undefined }, path, {
			now: () => (now += 1_000),
			windowFocusedFor: async () => 10_000,
		});
		while (library.now().skills.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		assert.equal(at.shown[0]?.detail, undefined, "it is no modal dialog");
		at.configuration.clear();
		at.presses(undefined);
	});
});
