// The offline model on real folders: what it plans, what files hold afterwards, what it says when things go wrong.
import assert from "node:assert/strict";
import { type Files, openSession, type Session } from "./offlineLoop.ts";

const shop: Files = {
	"package.json": '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
	"src/format.js": [
		"// Prices for people.",
		"export function formatPrice(cents) {",
		"	return (cents / 100).toFixed(2);",
		"}",
		"",
		"export function formatPrices(list) {",
		"	return list.map((cents) => formatPrice(cents));",
		"}",
		"",
	].join("\n"),
	"src/cart.js":
		'import { formatPrice } from "./format.js";\r\n\r\nexport const total = (list) =>\r\n\tformatPrice(list.reduce((a, b) => a + b, 0)) + " " + formatPrice.name;\r\n',
	"src/twice.js":
		'import { formatPrice } from "./format.js";\nexport const a = [\n\tformatPrice(1),\n\t0,\n\t0,\n\t0,\n\t0,\n\t0,\n\tformatPrice(1),\n];\nexport const b = formatPrice(1);\n',
	"test/format.test.js":
		'import assert from "node:assert";\nimport test from "node:test";\nimport { formatPrice } from "../src/format.js";\ntest("formatPrice works", () => assert.equal(formatPrice(150), "1.50"));\n',
	"README.md": "# Shop\n\nUse `formatPrice` to show prices. FormatPrice is something else.\n",
};

const renamed = (files: Files): Files =>
	Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(/\bformatPrice\b/g, "formatMoney")]));

describe("the offline model", () => {
	let session: Session;
	const open = (files: Files, role?: Session["role"]) => {
		session = openSession(files, role);
		return session;
	};
	afterEach(() => session.dispose());

	describe("as a planner, asked for a rename", () => {
		it("searches, then shows a plan made of what it found, and changes nothing", async () => {
			open(shop);
			const said = await session.send("Rename formatPrice to formatMoney everywhere");
			assert.match(said, /offline model/);
			assert.ok(session.calls().includes("search_code"));
			assert.equal(session.calls().at(-1), "present_plan");
			const { plan } = session.last("plan");
			assert.equal(plan.goal, "Rename `formatPrice` to `formatMoney`");
			assert.deepEqual(
				plan.steps.map((step) => [step.step_number, step.action, step.files, step.tools_needed?.at(-1)]),
				[
					[1, "Rename `formatPrice` to `formatMoney` in its definition (2 places): `src/format.js`", ["src/format.js"], "apply_patch"],
					[
						2,
						"Rename `formatPrice` to `formatMoney` in the code that uses it (7 places): `src/cart.js`, `src/twice.js`",
						["src/cart.js", "src/twice.js"],
						"apply_patch",
					],
					[
						3,
						"Rename `formatPrice` to `formatMoney` in the tests (3 places): `test/format.test.js`",
						["test/format.test.js"],
						"apply_patch",
					],
					[4, "Rename `formatPrice` to `formatMoney` in the documentation (1 place): `README.md`", ["README.md"], "apply_patch"],
					[5, "Run the tests with `npm test`", undefined, "execute_command"],
				],
			);
			assert.ok(plan.steps.every((step) => step.reason && step.estimated_time));
			assert.match(plan.risks?.join(" ") ?? "", /exported from `src\/format.js`/);
			assert.match(plan.risks?.join(" ") ?? "", /strings or comments.*test\/format.test.js:4/);
			assert.deepEqual(session.files(), shop);
		});

		it("carries the approved plan out, runs the tests and sums up", async () => {
			open(shop).realCommands = true;
			await session.send("Rename formatPrice to formatMoney everywhere");
			const said = await session.execute();
			assert.deepEqual(session.files(), renamed(shop));
			assert.match(said, /\*\*Done\.\*\* Renamed `formatPrice` to `formatMoney` at 13 places in 5 files\./);
			assert.match(said, /The tests \(`npm test`\) passed: .*1 pass/);
			const steps = session.events.flatMap((event) => (event.type === "step" ? [`${event.step_number} ${event.status}`] : []));
			assert.deepEqual(
				steps,
				[1, 2, 3, 4, 5].flatMap((step) => [`${step} running`, `${step} done`]),
			);
		});

		it("goes on after a reload in the middle with nothing done twice", async () => {
			open(shop);
			await session.send("Rename formatPrice to formatMoney everywhere");
			await session.execute();
			const whole = session.events;
			const { createOffline } = await import("../../../src/models/offline/offline.ts");
			const names = [
				...new Set(whole.flatMap((event) => (event.type === "assistant" ? (event.calls ?? []) : [])).map((call) => call.name)),
			];
			const tools = names.map((name) => ({
				name,
				description: "",
				parameters: { properties: name === "search_code" ? { literal: {}, ignore_case: {} } : {} },
			}));
			const start = whole.findIndex((event) => event.type === "role");
			let compared = 0;
			for (const [index, event] of whole.entries()) {
				if (index <= start || event.type !== "assistant") continue;
				const calls = [];
				for await (const chunk of createOffline().stream(
					{ model: "offline", system: "", tools, events: whole.slice(0, index) },
					new AbortController().signal,
				)) {
					if (chunk.type === "call") calls.push({ id: chunk.id, name: chunk.name, input: JSON.parse(chunk.arguments) });
				}
				assert.deepEqual(calls, event.calls ?? []);
				compared += 1;
			}
			assert.ok(compared > 8);
		});

		it("asks which of several definitions is meant", async () => {
			open({ "a.ts": "const size = 1;\n", "b.ts": "const size = 2;\nuse(size);\n" });
			await session.send("rename size to length");
			const { question } = session.last("question");
			assert.deepEqual(
				question.options?.map((option) => option.label),
				["All of them", "Only a.ts", "Only b.ts"],
			);
			await session.answer(question.options?.[2]?.value ?? "");
			await session.execute();
			assert.deepEqual(session.files(), { "a.ts": "const size = 1;\n", "b.ts": "const length = 2;\nuse(length);\n" });
		});

		it("asks when the new name is taken, and takes a name typed in", async () => {
			open({ "a.ts": "const one = 1;\nconst two = 2;\n" });
			await session.send("rename `one` to `two`");
			assert.match(session.last("question").question.question, /`two` exists already/);
			await session.answer("three");
			assert.equal(session.last("plan").plan.goal, "Rename `one` to `three`");
			await session.execute();
			assert.deepEqual(session.files(), { "a.ts": "const three = 1;\nconst two = 2;\n" });
		});

		it("asks about names that are alike when it finds none", async () => {
			open(shop);
			await session.send("rename formatPrise to formatMoney");
			const { question } = session.last("question");
			assert.equal(question.options?.[0]?.label, "formatPrice");
			await session.answer(question.options?.[0]?.value ?? "");
			assert.equal(session.last("plan").plan.goal, "Rename `formatPrice` to `formatMoney`");
		});

		it("renames a file that bears the name, since imports name it", async () => {
			open({ "lib/slug.ts": "export const slug = 1;\n", "main.ts": 'import { slug } from "./lib/slug.ts";\n' });
			await session.send("rename slug to handle everywhere");
			await session.execute();
			assert.deepEqual(session.files(), {
				"lib/handle.ts": "export const handle = 1;\n",
				"main.ts": 'import { handle } from "./lib/handle.ts";\n',
			});
		});

		it("takes follow-ups: another place, an exception, another name", async () => {
			open(shop);
			await session.send("Rename formatPrice to formatMoney everywhere");
			await session.send("skip the docs");
			assert.ok(!session.last("plan").plan.steps.some((step) => step.files?.includes("README.md")));
			await session.send("call it formatCash instead");
			assert.match(session.last("plan").plan.steps[0]?.action ?? "", /to `formatCash`/);
			await session.send("don't run the tests");
			assert.ok(!session.last("plan").plan.steps.some((step) => step.tools_needed?.includes("execute_command")));
			await session.send("also run the tests");
			assert.ok(session.last("plan").plan.steps.at(-1)?.action.startsWith("Run the tests"));
			const said = await session.send("do it");
			assert.match(said, /Execute plan/);
			assert.deepEqual(session.files(), shop);
		});

		it("finds every place where one search does not show all", async () => {
			const many: Files = {};
			for (let index = 0; index < 12; index++) many[`src/part${index % 3}/file${index}.ts`] = "alpha(1);\n".repeat(7);
			open(many);
			await session.send("rename alpha to beta everywhere");
			const said = await session.execute();
			assert.match(said, /at 84 places in 12 files/);
			assert.ok(Object.values(session.files()).every((text) => text === "beta(1);\n".repeat(7)));
		});
	});

	describe("as an actor without a plan", () => {
		it("does the same directly, with no step reported", async () => {
			open(shop, "actor");
			const said = await session.send("rename formatPrice to formatMoney everywhere");
			assert.deepEqual(session.files(), renamed(shop));
			assert.match(said, /passed/);
			assert.ok(!session.calls().some((name) => name === "update_step" || name === "present_plan"));
		});

		it("manages with update_file alone, in files with many like lines", async () => {
			open(shop, "actor");
			session.without = ["apply_patch"];
			await session.send("rename formatPrice to formatMoney everywhere");
			assert.deepEqual(session.files(), renamed(shop));
		});

		it("replaces text as it stands, special characters included", async () => {
			open({ "a.txt": "cost: $5 (net)\nx\ncost: $5 (net)\n", "b.md": "cost: $5 (net)!\n" }, "actor");
			await session.send('replace "$5 (net)" with "$& 6"');
			assert.deepEqual(session.files(), { "a.txt": "cost: $& 6\nx\ncost: $& 6\n", "b.md": "cost: $& 6!\n" });
		});

		it("reaches places in lines too long to be shown whole", async () => {
			open({ "a.js": `let alpha = 1; ${"x".repeat(2500)}\n` }, "actor");
			await session.send("rename alpha to beta everywhere");
			assert.equal(session.files()["a.js"], `let beta = 1; ${"x".repeat(2500)}\n`);
		});

		it("keeps to the place it was given", async () => {
			open({ "src/a.ts": "alpha\n", "lib/a.ts": "alpha\n" }, "actor");
			const said = await session.send("rename alpha to beta in src/");
			assert.deepEqual(session.files(), { "src/a.ts": "beta\n", "lib/a.ts": "alpha\n" });
			assert.match(said, /still stands in `lib\/a.ts`/);
		});

		it("creates, moves and deletes files", async () => {
			open({ "a.ts": "1\n" }, "actor");
			await session.send("create a file docs/notes.md with the content “# Notes”");
			await session.send("rename the file a.ts to b.ts");
			assert.deepEqual(session.files(), { "b.ts": "1\n", "docs/notes.md": "# Notes\n" });
			await session.send("please delete notes.md");
			assert.deepEqual(session.files(), { "b.ts": "1\n" });
		});

		it("does not create what exists nor delete what does not", async () => {
			open({ "a.ts": "1\n" }, "actor");
			assert.match(await session.send("create a.ts"), /exists already/);
			assert.match(await session.send("delete b.ts"), /no file `b.ts`/);
			assert.deepEqual(session.files(), { "a.ts": "1\n" });
		});

		it("runs commands and tells a failure with its exit code", async () => {
			open({ "package.json": '{ "scripts": { "test": "node -e \\"console.log(\'2 failing\'); process.exit(3)\\"" } }' }, "actor");
			session.realCommands = true;
			assert.match(await session.send("run the tests"), /The tests \(`npm test`\) failed with exit code \d+: 2 failing/);
			assert.match(await session.send("run `echo hi`"), /`echo hi` ended well/);
		});

		it("does what a plan says that was shown but not approved, when told so", async () => {
			open(shop);
			await session.send("rename formatPrice to formatMoney everywhere");
			session.role = "actor";
			await session.send("ok, do it");
			assert.deepEqual(session.files(), renamed(shop));
		});
	});

	describe("when something goes wrong", () => {
		it("stops at a denied edit, skips the rest and says so", async () => {
			open(shop);
			await session.send("Rename formatPrice to formatMoney everywhere");
			session.refuse = (name, input) =>
				JSON.stringify(input).includes("src/cart.js") && /update|patch/.test(name)
					? { status: "denied", output: "Denied: not this file." }
					: undefined;
			const said = await session.execute();
			const steps = session.events.flatMap((event) =>
				event.type === "step" && event.status !== "running" ? [`${event.step_number} ${event.status}`] : [],
			);
			assert.deepEqual(steps, ["1 done", "2 skipped", "3 skipped", "4 skipped", "5 skipped"]);
			assert.match(said, /\*\*Stopped\.\*\*/);
			assert.match(said, /not this file/);
			assert.ok(!session.calls().includes("execute_command"));
		});

		it("goes on after an edit that failed, and marks its step failed", async () => {
			open(shop);
			await session.send("Rename formatPrice to formatMoney everywhere");
			session.refuse = (name, input) =>
				JSON.stringify(input).includes("README.md") && name === "update_file"
					? { status: "error", output: "README.md has changed since it was read." }
					: undefined;
			const said = await session.execute();
			assert.equal(session.events.filter((event) => event.type === "step" && event.status === "failed").length, 1);
			assert.match(said, /Done in part/);
			assert.match(said, /README.md has changed/);
			assert.match(said, /still stands in `README.md`/);
			assert.match(said, /passed/);
		});

		it("marks denied tests as skipped", async () => {
			open(shop);
			await session.send("Rename formatPrice to formatMoney everywhere");
			session.refuse = (name) =>
				name === "execute_command"
					? { status: "denied", output: "The person denied this call. Do not try it again in another way." }
					: undefined;
			const said = await session.execute();
			assert.equal(session.last("step").status, "skipped");
			assert.match(said, /did not run: you did not allow it/);
			assert.deepEqual(session.files(), renamed(shop));
		});

		it("says that another model's plan is not its own", async () => {
			open(shop);
			await session.send("Rename formatPrice to formatMoney everywhere");
			const { plan } = session.last("plan");
			plan.steps = [{ step_number: 1, action: "Think hard about prices" }];
			const said = await session.execute();
			assert.match(said, /does not know how/);
			assert.deepEqual(session.files(), shop);
		});
	});

	describe("in answers", () => {
		it("lists what a search finds", async () => {
			open(shop);
			const said = await session.send("where is formatPrice used?");
			assert.match(said, /`formatPrice` stands at 1\d lines in 5 files/);
			assert.match(said, /`src\/cart.js`/);
		});

		it("lists files by name", async () => {
			open(shop);
			assert.match(await session.send("find files named cart"), /- `src\/cart.js`/);
			assert.match(await session.send("find all *.md files"), /- `README.md`/);
		});

		it("outlines a file", async () => {
			open(shop);
			const said = await session.send("explain src/format.js");
			assert.match(said, /has 8 lines/);
			assert.match(said, /Prices for people/);
			assert.match(said, /exported function `formatPrices` \(line 6\)/);
			assert.match(await session.send("what does total do?"), /`src\/cart.js` has/);
		});

		it("reads what is mentioned with an @ as the path that it is", async () => {
			open({ ...shop, "my notes.md": "# Mine\n" });
			const file = (label: string, path: string) => ({ kind: "file" as const, label, path, text: "…" });
			const problems = { kind: "problems" as const, label: "problems", text: "…" };
			const lines = await session.send("Explain @src/format.js:2-4 and @problems", undefined, [
				file("src/format.js:2-4", "src/format.js"),
				problems,
			]);
			assert.match(lines, /`src\/format.js` has 8 lines/);
			const quoted = await session.send('explain @"my notes.md":1', undefined, [file("my notes.md:1", "my notes.md")]);
			assert.match(quoted, /Its headings: Mine/);
		});

		it("does not pretend to understand a problem of the code", async () => {
			open(shop);
			const said = await session.send("Fix this problem in @src/format.js:2:\n```\n- line 2: Cannot find name 'total'. (ts 2304)\n```");
			assert.match(said, /take a language model/);
			assert.match(said, /I am the offline model/);
		});

		it("lists the files there are", async () => {
			open(shop);
			assert.match(await session.send("List the files here"), /files:\n\n[\s\S]*- `src\/cart.js`/);
		});

		it("says what it can do, with names from the workspace", async () => {
			open(shop);
			const said = await session.send("write me a poem about the sea");
			assert.match(said, /did not understand/);
			assert.match(said, /rename \w+ to \w+New everywhere/);
			assert.match(said, /I am the offline model/);
		});
	});
});
