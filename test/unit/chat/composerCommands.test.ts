// The composer's half of the host: commands at a slash, and what is suggested while a person types.
import assert from "node:assert/strict";
import { join } from "node:path";
import { leave, notes, open, users } from "./testChat.ts";

describe("the composer's host", () => {
	afterEach(leave);

	it("switches the role at /plan and /act and sends the rest", async () => {
		const setup = await open([{ text: "Looking." }], { role: "actor" });
		await setup.send("/plan tidy up");
		assert.equal(setup.session.state.role, "planner");
		assert.deepEqual(
			users(setup).map(({ text }) => text),
			["tidy up"],
		);
		await setup.send("/act");
		assert.equal(setup.session.state.role, "actor");
		assert.equal(users(setup).length, 1);
	});

	it("knows no other command than those it lists, keeps the text, and takes a path for a path", async () => {
		const setup = await open([{ text: "A file." }, { text: "Well." }]);
		await setup.send("/frobnicate now");
		assert.equal((await setup.update("compose")).text, "/frobnicate now");
		assert.match((await setup.update("hint")).text, /\/frobnicate doesn't exist\. Available commands: \/plan \/act \/new .*\/help/);
		await setup.send("/etc/hosts is odd");
		await setup.send(" /frobnicate is a word");
		assert.deepEqual(
			users(setup).map(({ text }) => text),
			["/etc/hosts is odd", "/frobnicate is a word"],
		);
	});

	it("gives a command's words back where it cannot be done, or is thought better of", async () => {
		const blob = "a".repeat(64);
		const setup = await open([{ text: "Hello." }], { role: "actor" });
		await setup.send("/compact");
		assert.equal((await setup.update("compose")).text, "/compact");
		assert.match(setup.did.at(-1) ?? "", /nothing to summarize/);
		await setup.send("/agent nobody", [blob]);
		assert.equal((await setup.update("compose", ({ text }) => text !== "/compact")).text, "/agent nobody");
		const stuck = await open([{ until: new Promise(() => undefined) }], { role: "actor" });
		stuck.says.confirm = false;
		const running = stuck.send("Go");
		await stuck.model.asked;
		await stuck.send("/plan tidy up");
		assert.equal((await stuck.update("compose")).text, "/plan tidy up");
		assert.equal(stuck.session.state.role, "actor");
		await stuck.act({ type: "stop", session: stuck.summary.sessionId });
		await running;
	});

	it("tells what there is at /help, and no model hears of it", async () => {
		const setup = await open([{ text: "Hello." }]);
		await setup.send("/help");
		assert.match(notes(setup).join(), /\/plan task · Switch to Planner[\s\S]*\/help/);
		await setup.send("Hello");
		assert.equal(users(setup).length, 1);
		assert.equal(
			setup.model.requests[0]?.events.some((event) => event.type === "status" && event.level !== "info"),
			false,
		);
	});

	it("asks before /clear, begins anew at /new, and opens the lists and the export", async () => {
		const setup = await open(() => ({ text: "Hi." }));
		await setup.send("Hello");
		setup.says.confirm = false;
		await setup.send("/clear");
		assert.equal(users(setup).length, 1);
		setup.says.confirm = true;
		await setup.send("/clear");
		const { sessionId } = setup.summary;
		const cleared = await setup.app.sessions.get(sessionId);
		assert.equal(cleared.state.messages, 0);
		await setup.send("/model");
		await setup.send("/export");
		assert.deepEqual(setup.did.slice(-2), ["command selectModel", "export"]);
		await setup.send("/new Start here");
		const shown = setup.chat.sessionId ?? "";
		assert.notEqual(shown, sessionId);
		assert.equal((await setup.app.sessions.get(shown)).state.messages > 0, true);
	});

	it("switches the agent by name at /agent, and says which there are otherwise", async () => {
		const setup = await open([], { agents: [{ agentId: "docs", displayName: "Docs writer" }] });
		await setup.send("/agent docs writer");
		assert.equal(setup.session.state.agent, "docs");
		await setup.send("/agent nobody");
		assert.match(setup.did.at(-1) ?? "", /The agent nobody doesn't exist. Available agents: .*Docs writer/);
		assert.equal(setup.session.state.agent, "docs");
	});

	it("suggests files, folders and symbols that fit, never protected ones, and drops late answers", async () => {
		const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`lib/part${index % 100}/module${index}.ts`, ""]));
		const setup = await open([], { files: { ...files, "src/cart.ts": "", "src/my cart.md": "", "cart.env.txt": "", ".env.cart": "" } });
		const { workspace } = setup.app.services.window;
		workspace.symbols = async () => [{ name: "cartTotal", kind: "Function", path: join(setup.app.folder, "src/cart.ts"), line: 3 }];
		const { sessionId: session } = setup.summary;
		await setup.act({ type: "suggest", session, ask: 1, query: "mod" });
		await setup.act({ type: "suggest", session, ask: 2, query: "cart" });
		const found = setup.updates.findLast((update) => update.type === "suggestions" && update.ask === 2);
		assert.deepEqual(found?.type === "suggestions" && found.items.map(({ insert }) => insert), [
			"@src/cart.ts",
			"@cart.env.txt",
			'@"src/my cart.md"',
			"@src/cart.ts#cartTotal",
		]);
		const late = setup.act({ type: "suggest", session, ask: 3, query: "module1" });
		await setup.act({ type: "suggest", session, ask: 4, query: "module2" });
		await late;
		assert.equal(
			setup.updates.some((update) => update.type === "suggestions" && update.ask === 3),
			false,
		);
	});

	it("starts nothing for suggestions and sends nothing in Restricted Mode", async () => {
		const setup = await open([], { restricted: "Trust this workspace first." });
		setup.app.services.window.workspace.find = () => assert.fail("it searched for files");
		await setup.act({ type: "suggest", session: setup.summary.sessionId, ask: 1, query: "hello" });
		assert.deepEqual((await setup.update("suggestions")).items, []);
		await setup.send("Explain @src/hello.ts");
		assert.deepEqual([users(setup), setup.did], [[], ["error: Trust this workspace first."]]);
	});
});
