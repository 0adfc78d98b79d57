// The offline model on real folders: what it plans, and what it answers.
import assert from "node:assert/strict";
import type { Files } from "./offlineLoop.ts";
import { open, renamed, session, shop } from "./offlineShop.ts";

describe("the offline model", () => {
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
			const { createOfflineProvider } = await import("../../../src/models/offline/offline.ts");
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
				for await (const chunk of createOfflineProvider().stream(
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
