// Tests links to Troupe: a dialog shows all of a link, and consent opens a session or fills the composer.
import assert from "node:assert/strict";
import { hostileText, numbers, readBack, UNSEEN } from "../../fakes/hostileText.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Parts = typeof import("../../../src/vscode/links.ts") &
	typeof import("../../../src/vscode/consent.ts") &
	typeof import("../../../src/core/userError.ts");

describe("a link to Troupe", () => {
	let editor: Awaited<ReturnType<typeof onEditorWindow<Parts>>>;
	let did: string[];

	before(async () => {
		editor = await onEditorWindow<Parts>("links", "src/vscode/links.ts", "src/vscode/consent.ts", "src/core/userError.ts");
		let time = 0;
		const clock = { now: () => (time += 10_000), windowFocusedFor: async () => 60_000 };
		const sessions = {
			async existing(session: string) {
				if (session !== "s1") throw new editor.UserError("This session no longer exists.");
				return session;
			},
			async create({ agentId }: { agentId?: string }) {
				if (agentId === "nobody") throw new editor.UserError("The agent nobody doesn't exist. Available agents: troupe.");
				did.push(`create ${agentId ?? "(last used)"}`);
				return { sessionId: "new" };
			},
		};
		const chat = {
			sessionId: "before",
			show: async (session: string) => void did.push(`show ${session}`),
			compose: (text: string) => void did.push(`compose ${text}`),
			focus: (where: string) => void did.push(`focus ${where}`),
			// What must not happen.
			handle: (intent: unknown) => void did.push(`handle ${JSON.stringify(intent)}`),
		};
		const engine = {
			load: async () => {
				did.push("load");
				return { sessions };
			},
		};
		const revealSession = async (session: string) => {
			did.push(`show ${session}`);
			return chat;
		};
		editor.registerLinks(
			{ engine, views: { reveal: async () => chat, revealSession }, log: { error: () => undefined } } as never,
			async (question, lines, button) => (await editor.askForConsent(question, lines, [button], clock)) === button,
		);
	});

	beforeEach(() => {
		did = [];
		editor.shown.splice(0);
		editor.opened.splice(0);
	});

	/** Follows it and answers the dialog; what the dialog said. */
	async function follow(path: string, query: string, answer?: string) {
		editor.presses(answer);
		await editor.followLink(path, query);
		return editor.shown.at(-1);
	}

	it("does nothing, and loads nothing, before the person consents", async () => {
		for (const [path, query] of [
			["/open", "session=s1"],
			["/ask", "agent=troupe&text=Hello"],
		] as const) {
			const dialog = await follow(path, query);
			assert.equal(dialog?.how, "warning");
			assert.deepEqual(did, []);
		}
	});

	it("does nothing where the person dismisses the dialog of a real window", async () => {
		const refused = { load: async () => void did.push("load") };
		const handler = editor.lastLinkHandler();
		editor.registerLinks({ engine: refused, views: {}, log: { error: () => undefined } } as never);
		for (const query of ["session=s1", "agent=troupe&text=Hello"]) await follow(query.startsWith("session") ? "/open" : "/ask", query);
		assert.deepEqual([editor.shown.map(({ how }) => how), did], [["warning", "warning"], []]);
		editor.window.registerUriHandler(handler);
	});

	it("opens the session that it names", async () => {
		const dialog = await follow("/open", "session=s1", "Open");
		assert.deepEqual([dialog?.text, dialog?.detail], ["Open this session from a link?", "Session: s1"]);
		assert.deepEqual(did, ["load", "show s1", "focus composer"]);
	});

	it("says so where there is no such session or agent, and opens nothing", async () => {
		assert.equal((await follow("/open", "session=gone", "Open"))?.text, "This session no longer exists.");
		assert.match((await follow("/ask", "agent=nobody&text=x", "Fill In"))?.text ?? "", /^The agent nobody doesn't exist/);
		assert.deepEqual(did, ["load", "load"]);
	});

	it("fills the composer of a new session of its agent, and sends nothing", async () => {
		const dialog = await follow("/ask", "agent=troupe&text=Explain a & b = c+d\n50% done", "Fill In");
		assert.equal(dialog?.text, "Put this text from a link into a new session?");
		assert.equal(dialog?.detail, "Agent: troupe\nNothing is sent before you send it.\n\nExplain a & b = c+d\n50% done");
		assert.deepEqual(did, ["load", "create troupe", "show new", "compose Explain a & b = c+d\n50% done", "focus composer"]);
		did = [];
		for (const query of ["text=Hi", "agent=&text=Hi"]) {
			assert.match((await follow("/ask", query, "Fill In"))?.detail ?? "", /^Agent: the one used last\n/);
		}
		assert.deepEqual(
			did.filter((act) => act.startsWith("create")),
			["create (last used)", "create (last used)"],
		);
	});

	it("fills in commands and mentions that do nothing, and says so", async () => {
		const dialog = await follow("/ask", 'agent=troupe&text=/clear @.env and (@src) "@url https://evil.example', "Fill In");
		assert.match(dialog?.detail ?? "", /get a backslash and do nothing until you remove it\.\n\n\/clear @\.env and/);
		assert.ok(did.includes('compose \\/clear \\@.env and (\\@src) "\\@url https://evil.example'), did.join("\n"));
	});

	it("shows hidden characters as codes and leaves them out", async () => {
		const dialog = await follow("/ask", "agent=tro\u200bupe&text=Do\u202e it\u{e0041} 👩\u200d💻", "Fill In");
		assert.equal(
			dialog?.detail,
			"Agent: tro\\u{200b}upe\nNothing is sent before you send it.\nHidden characters, shown here as codes, are left out.\n\nDo\\u{202e} it\\u{e0041} 👩\\u{200d}💻",
		);
		assert.deepEqual(did.slice(-2), ["compose Do it 👩\u200d💻", "focus composer"]);
	});

	it("shows every character of a text, whatever is in it, in the dialog or in the editor behind it", async () => {
		const next = numbers(7);
		for (let round = 0; round < 200; round += 1) {
			const text = hostileText(next, 8).slice(0, 3_000);
			if (text === "") continue;
			const dialog = await follow("/ask", `agent=troupe&text=${text}`);
			const all = editor.opened.pop() ?? dialog?.detail ?? "";
			assert.equal(readBack(all.slice(all.indexOf("\n\n") + 2)), text);
			assert.doesNotMatch(all, UNSEEN);
		}
		const long = Array.from({ length: 300 }, (_, line) => `line ${line}`).join("\n");
		const dialog = await follow("/ask", `agent=troupe&text=${long}`);
		assert.match(dialog?.detail ?? "", /The full text is open in the editor behind this dialog/);
		assert.ok(editor.opened.pop()?.endsWith(long));
	});

	it("is refused where it is too long or unknown, with a sentence and no dialog", async () => {
		const refused = [
			["/ask", `agent=troupe&text=${"x".repeat(4_000)}`],
			["/open", `session=${"x".repeat(5_000)}`],
			["/open", ""],
			["/open", "session="],
			["/open", "session=s1&run=yes"],
			["/ask", ""],
			["/ask", "agent=troupe"],
			["/ask", "agent=troupe&text="],
			["/ask", "agent=troupe&mode=auto&text=x"],
			["/install", "server=x"],
			["", ""],
		] as const;
		for (const [path, query] of refused) {
			const message = await follow(path, query, "Open");
			assert.equal(message?.how, "error", `${path}?${query.slice(0, 40)}`);
			assert.match(message.text, query.length > 4_000 ? /more than 4000 characters\. Nothing was opened\./ : /Nothing was opened\./);
		}
		assert.deepEqual(did, []);
	});
});
