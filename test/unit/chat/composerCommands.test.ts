// The composer's half of the host: commands at a slash, and what is suggested while a person types.
import assert from "node:assert/strict";
import { join } from "node:path";
import { leave, notes, open, users } from "./composingStage.ts";

describe("the composer's host", () => {
	afterEach(leave);

	it("switches the role at /plan and /act and sends the rest", async () => {
		const scene = await open([{ text: "Looking." }], { role: "actor" });
		await scene.send("/plan tidy up");
		assert.equal(scene.conversation.state.role, "planner");
		assert.deepEqual(
			users(scene).map(({ text }) => text),
			["tidy up"],
		);
		await scene.send("/act");
		assert.equal(scene.conversation.state.role, "actor");
		assert.equal(users(scene).length, 1);
	});

	it("knows no other command than those it lists, keeps the text, and takes a path for a path", async () => {
		const scene = await open([{ text: "A file." }, { text: "Well." }]);
		await scene.send("/frobnicate now");
		assert.equal((await scene.update("compose")).text, "/frobnicate now");
		assert.match((await scene.update("hint")).text, /\/frobnicate doesn't exist\. Available commands: \/plan \/act \/new .*\/help/);
		await scene.send("/etc/hosts is odd");
		await scene.send(" /frobnicate is a word");
		assert.deepEqual(
			users(scene).map(({ text }) => text),
			["/etc/hosts is odd", "/frobnicate is a word"],
		);
	});

	it("gives a command's words back where it cannot be done, or is thought better of", async () => {
		const blob = "a".repeat(64);
		const scene = await open([{ text: "Hello." }], { role: "actor" });
		await scene.send("/compact");
		assert.equal((await scene.update("compose")).text, "/compact");
		assert.match(scene.did.at(-1) ?? "", /nothing to summarize/);
		await scene.send("/agent nobody", [blob]);
		assert.equal((await scene.update("compose", ({ text }) => text !== "/compact")).text, "/agent nobody");
		const stuck = await open([{ until: new Promise(() => undefined) }], { role: "actor" });
		stuck.says.confirm = false;
		const running = stuck.send("Go");
		await stuck.model.asked;
		await stuck.send("/plan tidy up");
		assert.equal((await stuck.update("compose")).text, "/plan tidy up");
		assert.equal(stuck.conversation.state.role, "actor");
		await stuck.act({ type: "stop", session: stuck.session.sessionId });
		await running;
	});

	it("tells what there is at /help, and no model hears of it", async () => {
		const scene = await open([{ text: "Hello." }]);
		await scene.send("/help");
		assert.match(notes(scene).join(), /\/plan task · Switch to Planner[\s\S]*\/help/);
		await scene.send("Hello");
		assert.equal(users(scene).length, 1);
		assert.equal(
			scene.model.requests[0]?.events.some((event) => event.type === "status" && event.level !== "info"),
			false,
		);
	});

	it("asks before /clear, begins anew at /new, and opens the lists and the export", async () => {
		const scene = await open(() => ({ text: "Hi." }));
		await scene.send("Hello");
		scene.says.confirm = false;
		await scene.send("/clear");
		assert.equal(users(scene).length, 1);
		scene.says.confirm = true;
		await scene.send("/clear");
		const { sessionId } = scene.session;
		const cleared = await scene.house.sessions.get(sessionId);
		assert.equal(cleared.state.messages, 0);
		await scene.send("/model");
		await scene.send("/export");
		assert.deepEqual(scene.did.slice(-2), ["command selectModel", "export"]);
		await scene.send("/new Start here");
		const shown = scene.chat.sessionId ?? "";
		assert.notEqual(shown, sessionId);
		assert.equal((await scene.house.sessions.get(shown)).state.messages > 0, true);
	});

	it("switches the agent by name at /agent, and says which there are otherwise", async () => {
		const scene = await open([], { agents: [{ agentId: "docs", displayName: "Docs writer" }] });
		await scene.send("/agent docs writer");
		assert.equal(scene.conversation.state.agent, "docs");
		await scene.send("/agent nobody");
		assert.match(scene.did.at(-1) ?? "", /The agent nobody doesn't exist. Available agents: .*Docs writer/);
		assert.equal(scene.conversation.state.agent, "docs");
	});

	it("suggests files, folders and symbols that fit, never protected ones, and drops late answers", async () => {
		const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`lib/part${index % 100}/module${index}.ts`, ""]));
		const scene = await open([], { files: { ...files, "src/cart.ts": "", "src/my cart.md": "", "cart.env.txt": "", ".env.cart": "" } });
		const { workspace } = scene.house.services.window;
		workspace.symbols = async () => [{ name: "cartTotal", kind: "Function", path: join(scene.house.folder, "src/cart.ts"), line: 3 }];
		const { sessionId: session } = scene.session;
		await scene.act({ type: "suggest", session, ask: 1, query: "mod" });
		await scene.act({ type: "suggest", session, ask: 2, query: "cart" });
		const found = scene.updates.findLast((update) => update.type === "suggestions" && update.ask === 2);
		assert.deepEqual(found?.type === "suggestions" && found.items.map(({ insert }) => insert), [
			"@src/cart.ts",
			"@cart.env.txt",
			'@"src/my cart.md"',
			"@src/cart.ts#cartTotal",
		]);
		const late = scene.act({ type: "suggest", session, ask: 3, query: "module1" });
		await scene.act({ type: "suggest", session, ask: 4, query: "module2" });
		await late;
		assert.equal(
			scene.updates.some((update) => update.type === "suggestions" && update.ask === 3),
			false,
		);
	});

	it("starts nothing for suggestions and sends nothing in Restricted Mode", async () => {
		const scene = await open([], { restricted: "Trust this workspace first." });
		scene.house.services.window.workspace.find = () => assert.fail("it searched for files");
		await scene.act({ type: "suggest", session: scene.session.sessionId, ask: 1, query: "hello" });
		assert.deepEqual((await scene.update("suggestions")).items, []);
		await scene.send("Explain @src/hello.ts");
		assert.deepEqual([users(scene), scene.did], [[], ["error: Trust this workspace first."]]);
	});
});
