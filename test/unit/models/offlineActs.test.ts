// Tests the offline model on real folders: resulting files, and its messages on failures.
import assert from "node:assert/strict";
import { open, renamed, session, shop } from "./offlineShop.ts";

describe("the offline model", () => {
	afterEach(() => session.dispose());

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

		it("asks to run a command outside the sandbox, once, where the sandbox may have made it fail", async () => {
			open({ "a.txt": "1\n" }, "actor");
			const asked: unknown[] = [];
			session.refuse = (name, input) => {
				if (name !== "execute_command") return;
				asked.push(input["outsideSandbox"]);
				return { status: "ok", output: "exit code: 1\nEROFS\nIt ran in a sandbox. If so, call again with outsideSandbox: true." };
			};
			assert.match(await session.send("run `touch ../b`"), /failed with exit code 1/);
			assert.deepEqual(asked, [undefined, true]);
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
});
