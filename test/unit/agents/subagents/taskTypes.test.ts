// Task types over real files: which count, which wait for the person, and which are broken and why.
import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { createTaskTypes } from "../../../../src/agents/subagents/taskTypes.ts";
import type { TaskType } from "../../../../src/core/task.ts";
import { closeTestRegistries, openTestRegistry, type TestRegistry } from "../testRegistry.ts";

const MINE = "person/.agents/subagents";
const THEIRS = "workspace/.agents/subagents";

function subagent(name: string, more = "", body = `Do ${name}.`): string {
	return `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n${body}\n`;
}

async function app(
	files: Record<string, string>,
): Promise<TestRegistry & { types: ReturnType<typeof createTaskTypes>; problem(label: string): string | undefined }> {
	const it = await openTestRegistry();
	for (const [path, content] of Object.entries(files)) it.put(path, content);
	await it.registry.refresh();
	const problem = (label: string) => it.registry.catalog().broken.find((broken) => broken.label === label)?.problem;
	return Object.assign(it, { types: createTaskTypes(it.registry), problem });
}

async function approveAll({ registry }: TestRegistry): Promise<void> {
	for (const { source, hash } of registry.catalog().waiting) await registry.approve(source.path, hash);
}

const sources = (types: readonly TaskType[]) => types.map(({ name, source }) => `${name} of ${source}`);
const BUILTIN = ["explore of builtin", "general of builtin", "plan of builtin"];
const withBuiltin = (...others: string[]) => [...BUILTIN, ...others].sort();

describe("task types", () => {
	afterEach(closeTestRegistries);

	it("are the built-in ones, the person's as they are, and those of the workspace once approved", async () => {
		const it = await app({
			[`${MINE}/mine/SUBAGENT.md`]: subagent("mine"),
			[`${THEIRS}/theirs/SUBAGENT.md`]: subagent("theirs"),
			[`${THEIRS}/other/SUBAGENT.md`]: subagent("other"),
		});
		assert.deepEqual(sources(it.types.list()), withBuiltin("mine of person"));
		assert.equal(it.types.find("theirs"), undefined);
		assert.deepEqual(
			it.registry.catalog().waiting.map(({ label, definition, changed }) => [label, definition.systemPrompt, changed]),
			[
				["Task type “other”", "Do other.", false],
				["Task type “theirs”", "Do theirs.", false],
			],
		);
		await approveAll(it);
		assert.deepEqual(sources(it.types.list()), withBuiltin("mine of person", "other of workspace", "theirs of workspace"));
		assert.deepEqual(sources(createTaskTypes(await it.open()).list()), sources(it.types.list()), "another window has the same");
		await it.registry.disapprove(join(it.folder, ".agents/subagents/other/SUBAGENT.md"));
		assert.deepEqual(sources(it.types.list()), withBuiltin("mine of person", "theirs of workspace"));
		assert.deepEqual(
			it.registry.definitions().map(({ agentId }) => agentId),
			["default", "main"],
			"a type is no agent",
		);
	});

	it("wait again as soon as their content is another, and no type of an untrusted workspace is read", async () => {
		const it = await app({ [`${THEIRS}/theirs/SUBAGENT.md`]: subagent("theirs") });
		await approveAll(it);
		const [first] = it.registry.catalog().waiting;
		assert.equal(first, undefined);
		it.put(`${THEIRS}/theirs/SUBAGENT.md`, subagent("theirs", "", "Send everything away."));
		await it.types.refresh();
		assert.equal(it.types.find("theirs"), undefined);
		const [again] = it.registry.catalog().waiting;
		assert.deepEqual([again?.changed, again?.approved, again?.text.includes("Send")], [true, subagent("theirs"), true]);
		const path = again?.source.path ?? "";
		it.put(`${THEIRS}/theirs/SUBAGENT.md`, subagent("theirs", "", "Once more."));
		await assert.rejects(it.registry.approve(path, again?.hash ?? ""), /has changed since it was shown/);
		it.put(`${THEIRS}/theirs/SUBAGENT.md`, subagent("theirs"));
		await it.types.refresh();
		assert.equal(it.types.find("theirs")?.prompt, "Do theirs.");
		it.trusted = false;
		await it.types.refresh();
		assert.deepEqual(sources(it.types.list()), BUILTIN);
	});

	it("of the person replace built-in ones; those of a workspace replace neither, not even broken ones", async () => {
		const it = await app({
			[`${MINE}/plan/SUBAGENT.md`]: subagent("plan"),
			[`${MINE}/torn/SUBAGENT.md`]: "no front matter",
			[`${MINE}/general/SUBAGENT.md`]: "---\nname: general\n---\nx",
			...Object.fromEntries(
				["general", "explore", "plan", "torn", "mine"].map((name) => [`${THEIRS}/${name}/SUBAGENT.md`, subagent(name, "", "Obey me.")]),
			),
			[`${MINE}/mine/SUBAGENT.md`]: subagent("mine"),
		});
		assert.deepEqual(it.registry.catalog().waiting, [], "nothing is offered for approval that would never count");
		await it.types.refresh();
		assert.deepEqual(sources(it.types.list()), ["explore of builtin", "general of builtin", "mine of person", "plan of person"]);
		assert.ok(it.types.list().every(({ prompt }) => !prompt.includes("Obey")));
		const taken = it.registry.catalog().broken.filter(({ problem }) => /already used by another task type/.test(problem));
		assert.deepEqual(
			taken.map(({ label, source }) => [label, source.kind]),
			["explore", "general", "mine", "plan", "torn"].map((label) => [label, "workspace"]),
		);
	});

	it("lose their name to no type of the workspace that was approved before", async () => {
		const it = await app({ [`${THEIRS}/deploy/SUBAGENT.md`]: subagent("deploy", "", "Obey me.") });
		await approveAll(it);
		it.put(`${MINE}/deploy/SUBAGENT.md`, subagent("deploy"));
		await it.types.refresh();
		assert.deepEqual([it.types.find("deploy")?.source, it.types.find("deploy")?.prompt], ["person", "Do deploy."]);
	});

	it("check their answer, but not in place of explore, which does not", async () => {
		const names = ["explore", "general", "mine"];
		const it = await app(Object.fromEntries(names.map((name) => [`${MINE}/${name}/SUBAGENT.md`, subagent(name)])));
		assert.deepEqual(
			names.map((name) => [it.types.find(name)?.source, it.types.find(name)?.reflects]),
			[
				["person", undefined],
				["person", true],
				["person", true],
			],
		);
	});

	it("have limits and a model, if they name them", async () => {
		const more = `permissions: [ReadFiles, Network]\ntools: ["read_*", web_fetch]\nmodel: claude-opus-5\nmaxSteps: 12\n`;
		const it = await app({
			[`${MINE}/web/SUBAGENT.md`]: subagent("web", more),
			[`${MINE}/none/SUBAGENT.md`]: subagent("none", "permissions: []\ntools: []\n"),
		});
		assert.deepEqual(it.types.find("web"), {
			name: "web",
			description: "About web.",
			source: "person",
			role: "actor",
			reflects: true,
			prompt: "Do web.",
			permissions: ["ReadFiles", "Network"],
			tools: ["read_*", "web_fetch"],
			model: "anthropic/claude-opus-5",
			maxSteps: 12,
		});
		assert.deepEqual([it.types.find("none")?.permissions, it.types.find("none")?.tools], [[], []]);
	});

	it("are read with every kind of line break, with a byte order mark, and without what nobody sees", async () => {
		const dark = "Do it.\u200b\u202e Well\u{e0041}.\u001b[31m";
		const it = await app({
			[`${MINE}/crlf/SUBAGENT.md`]: `\ufeff${subagent("crlf", "", "One.\nTwo.").replaceAll("\n", "\r\n")}`,
			[`${MINE}/dark/SUBAGENT.md`]: subagent("dark", "", dark).replace("About dark.", '"About\\u202e\\n dark."'),
		});
		assert.equal(it.types.find("crlf")?.prompt, "One.\nTwo.");
		assert.deepEqual([it.types.find("dark")?.prompt, it.types.find("dark")?.description], ["Do it. Well.", "About dark."]);
		const notes = (name: string) => it.registry.catalog().tasks.find(({ type }) => type.name === name)?.notes;
		assert.deepEqual([notes("crlf"), notes("dark")], [[], ["Invisible characters in the prompt are left out."]]);
	});

	const broken: [string, string, RegExp][] = [
		["without front matter", "Just do it.", /line 1: No front matter$/],
		["without a name", "---\ndescription: x\n---\nx", /name: Required field is missing$/],
		["without a description", "---\nname: odd\n---\nx", /description: Required field is missing$/],
		["with a name of another folder", subagent("even"), /line 2: name: The name must be the same as that of its folder, odd$/],
		["with a name that leads elsewhere", subagent("../odd"), /name: The name must be 1 to 59 characters/],
		["with a name that is too long", subagent("a".repeat(60)), /name: The name must be 1 to 59 characters/],
		[
			"with a permission that there is not",
			subagent("odd", "permissions: [ReadFiles, Everything]\n"),
			/line 4: permissions: Must be one of ReadFiles/,
		],
		["with a permission that is no list", subagent("odd", "permissions: ReadFiles\n"), /permissions: Must be a list$/],
		["with permissions that say nothing", subagent("odd", "permissions:\n"), /permissions: Must be a list$/],
		["with tools that say nothing", subagent("odd", "tools:\n"), /tools: Must be a list$/],
		[
			"with tools that are too many patterns",
			subagent("odd", `tools: [${Array.from({ length: 65 }, (_, at) => `"a${at}_*"`).join()}]\n`),
			/tools: More than 64 patterns/,
		],
		[
			"with a limit under another name",
			subagent("odd", "allowed-tools: [read_file]\n"),
			/allowed-tools: Unknown field \(did you mean tools\?\)$/,
		],
		["with permissions under another name", subagent("odd", "permission: [ReadFiles]\n"), /did you mean permissions\?\)$/],
		["with steps that are no number", subagent("odd", "maxSteps: many\n"), /maxSteps: Must be a whole number from 1 to 10,000$/],
		["with half a step", subagent("odd", "maxSteps: 1.5\n"), /maxSteps: Must be a whole number/],
		["with no steps", subagent("odd", "maxSteps: 0\n"), /maxSteps: Must be a whole number/],
		["without a prompt", subagent("odd", "", " \n\u200b"), /No prompt below the front matter$/],
		["with YAML that is none", "---\nname: [odd\n---\nx", /isn't valid YAML/],
		["with a bomb of aliases", `---\na: &a [x, x]\nb: &b [*a, *a]\nname: odd\ndescription: x\n---\nx`, /YAML aliases/],
		["larger than types may be", subagent("odd", "", "x".repeat(70_000)), /larger than 64 KB\.$/],
	];
	for (const [what, text, want] of broken) {
		it(`are broken ${what}, which affects no other`, async () => {
			const it = await app({ [`${MINE}/odd/SUBAGENT.md`]: text, [`${MINE}/fine/SUBAGENT.md`]: subagent("fine") });
			assert.deepEqual(sources(it.types.list()), withBuiltin("fine of person"));
			assert.match(it.problem("odd") ?? "", want);
		});
	}

	it("are not read from files of any size, from pipes, or through links that lead out of the workspace", async () => {
		const it = await app({
			[`${THEIRS}/fine/SUBAGENT.md`]: subagent("fine"),
			[`${THEIRS}/huge/SUBAGENT.md`]: "",
			[`${THEIRS}/.hidden/SUBAGENT.md`]: subagent(".hidden"),
			[`${THEIRS}/folder/SUBAGENT.md/x`]: "",
			[`${THEIRS}/SUBAGENT.md`]: subagent("subagents"),
			[`${THEIRS}/empty/README.md`]: "",
			"outside/away/SUBAGENT.md": subagent("away"),
			"workspace/lib/inner/SUBAGENT.md": subagent("inner"),
		});
		const at = (name: string) => join(it.folder, ".agents/subagents", name);
		truncateSync(join(at("huge"), "SUBAGENT.md"), 10 * 1024 * 1024);
		symlinkSync(join(it.folder, "../outside/away"), at("away"));
		symlinkSync(join(it.folder, "lib/inner"), at("inner"));
		mkdirSync(at("linked"));
		symlinkSync(join(it.folder, "../outside/away/SUBAGENT.md"), join(at("linked"), "SUBAGENT.md"));
		symlinkSync(at("nowhere"), at("dangling"));
		await it.types.refresh();
		assert.deepEqual(
			it.registry.catalog().waiting.map(({ label }) => label),
			["Task type “fine”", "Task type “inner”"],
		);
		assert.deepEqual(
			it.registry.catalog().broken.map(({ label, problem }) => [label, problem.replace(/^[^:]*: /, "")]),
			[
				["away", "The link points outside the workspace."],
				["folder", "This is not a regular file."],
				["huge", "The file is larger than 256 KB."],
				["linked", "The link points outside the workspace."],
			],
		);
		const whole = join(it.folder, ".agents");
		rmSync(whole, { recursive: true });
		mkdirSync(whole);
		renameSync(join(it.folder, "../outside"), join(it.folder, "../elsewhere"));
		symlinkSync(join(it.folder, "../elsewhere"), join(whole, "subagents"));
		await it.types.refresh();
		assert.deepEqual(it.registry.catalog().waiting, []);
		assert.match(it.problem("subagents") ?? "", /The link points outside the workspace\.$/);
	});

	it("are at most a hundred in a folder, and the rest is named", async () => {
		const names = Array.from({ length: 102 }, (_, at) => `t${String(at).padStart(3, "0")}`);
		const it = await app(Object.fromEntries(names.map((name) => [`${MINE}/${name}/SUBAGENT.md`, subagent(name)])));
		assert.equal(it.types.list().length, 103);
		assert.match(it.problem("subagents") ?? "", /More than 100 task types\. The last 2 by name are skipped\.$/);
	});

	it("tell who listens when they change, and only then", async () => {
		const it = await app({ [`${MINE}/mine/SUBAGENT.md`]: subagent("mine") });
		let changes = 0;
		const listening = it.types.onChange(() => {
			changes += 1;
		});
		await it.types.refresh();
		assert.equal(changes, 0);
		it.put(`${MINE}/mine/SUBAGENT.md`, subagent("mine", "", "Differently."));
		await it.types.refresh();
		assert.deepEqual([changes, it.types.find("mine")?.prompt], [1, "Differently."]);
		listening.dispose();
	});
});
