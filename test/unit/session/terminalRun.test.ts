// Tests pending commands run in the user's terminal: the exact line approves, another one denies.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { canTypeInTerminal, type TerminalRun, type UserTerminal } from "../../../src/core/ports/workspace/commands.ts";
import { runInTerminal } from "../../../src/session/turn/call/terminalRun.ts";
import { closeTestSessions, FILES, openTestSession, type TestSession } from "./testSession.ts";

const LINE = "touch made.txt";

/** A terminal in which a test runs what it likes. */
function terminal() {
	const typed: { line: string; cwd: string; signal: AbortSignal }[] = [];
	let enter: (run: TerminalRun | undefined) => void = () => undefined;
	let standing: () => void = () => undefined;
	const stands = new Promise<void>((resolve) => {
		standing = resolve;
	});
	const port: UserTerminal = {
		type: (line, cwd, signal) =>
			new Promise((resolve) => {
				typed.push({ line, cwd, signal });
				enter = resolve;
				signal.addEventListener("abort", () => resolve(undefined));
				standing();
			}),
	};
	return { typed, port, stands, run: (run: TerminalRun | undefined) => enter(run) };
}

describe("a command run in the person's own terminal", () => {
	afterEach(closeTestSessions);

	async function asked(command: object = { command: LINE }) {
		const hand = terminal();
		const setup = await openTestSession([{ calls: [{ name: "execute_command", input: command }] }, { text: "Done." }], {
			files: FILES,
			role: "actor",
			settings: { approval: "ask" },
			terminal: hand.port,
		});
		const turn = setup.session.send("Make it");
		const event = await setup.event("asked");
		setup.clock.ahead += 1_000;
		const typing = event.terminal ? runInTerminal(setup.session, event.request, event.hash) : undefined;
		if (event.terminal) await hand.stands;
		return { setup, hand, turn, event, typing };
	}

	const result = async ({ setup, turn }: { setup: TestSession; turn: Promise<unknown> }) => {
		await turn;
		return setup.event("result");
	};
	const made = (setup: TestSession) => existsSync(join(setup.app.folder, "made.txt"));

	it("is typed as it stands, and its output is the result, marked as the person's", async () => {
		const play = await asked();
		const [typed] = play.hand.typed;
		assert.deepEqual([typed?.line, typed?.cwd], [LINE, play.setup.app.folder]);
		play.hand.run({ line: LINE, ended: Promise.resolve({ output: "made it\n", exitCode: 0 }) });
		const { status, output, view } = await result(play);
		assert.deepEqual([status, output], ["ok", "exit code: 0; run by the person in their own terminal\nmade it"]);
		assert.ok(view?.kind === "command" && view.byPerson);
		assert.deepEqual([view.command, view.exitCode, view.cwd, made(play.setup)], [LINE, 0, ".", false]);
		const { answer } = await play.setup.event("answered");
		assert.deepEqual(answer, { allow: true });
		await play.typing;
	});

	it("can no longer be allowed once it runs there, and the result waits for its end", async () => {
		const play = await asked();
		let end: (how: { output: string }) => void = () => undefined;
		const ended = new Promise<{ output: string }>((resolve) => {
			end = resolve;
		});
		play.hand.run({ line: LINE, ended });
		await play.setup.event("answered");
		await assert.rejects(play.setup.session.answer(play.event.request, { allow: true }, "person", play.event.hash), /expired|answered/);
		end({ output: "late" });
		assert.match((await result(play)).output, /^exit code: not known; run by the person.*\nlate$/);
		assert.equal(made(play.setup), false);
	});

	it("is denied where another line is run, with that line", async () => {
		const play = await asked();
		play.hand.run({ line: "ls -la", ended: Promise.resolve({ output: "", exitCode: 0 }) });
		const { status, output } = await result(play);
		assert.equal(status, "denied");
		assert.match(output, /Another command was run in the terminal instead: ls -la/);
		assert.equal(made(play.setup), false);
	});

	it("tells neither the model nor the transcript a secret of the person's that stands in that line", async () => {
		const play = await asked();
		play.setup.app.services.hidden = async () => ["s3cret-of-the-person"];
		play.hand.run({ line: "export TOKEN=s3cret-of-the-person", ended: Promise.resolve({ output: "", exitCode: 0 }) });
		assert.match((await result(play)).output, /was run in the terminal instead: export TOKEN=\[secret hidden by Troupe\]/);
		assert.ok(!JSON.stringify(play.setup.session.state.events).includes("s3cret"));
	});

	it("is denied by Deny and by Stop, with what stood in the terminal, and nobody follows the terminal any more", async () => {
		const denied = await asked();
		await denied.setup.answer({ allow: false, reason: "Not now" });
		assert.match((await result(denied)).output, /Not now/);
		assert.ok(denied.hand.typed[0]?.signal.aborted);
		const stopped = await asked();
		await stopped.setup.session.cancel();
		const { status, output } = await result(stopped);
		assert.equal(status, "denied");
		assert.match(output, /Stopped\. The line was typed into my terminal and not run: touch made\.txt/);
		assert.equal(stopped.setup.types().filter((type) => type === "expired").length, 1);
	});

	it("waits on where the terminal is closed, and runs as usual once it is allowed", async () => {
		const play = await asked();
		play.hand.run(undefined);
		await play.typing;
		await play.setup.answer({ allow: true });
		assert.equal((await result(play)).status, "ok");
		assert.equal(made(play.setup), true);
	});

	it("is offered for single plain lines that end by themselves alone", async () => {
		for (const input of [{ command: "touch a", background: true }, { command: "echo $(date) > x" }, { command: "touch a\ntouch b" }]) {
			const { event, setup } = await asked(input);
			assert.equal(event.terminal, undefined, input.command);
			await setup.session.cancel();
		}
		for (const line of ["a\nb", "a\rb", "a\u001b[A", "a \u202eb", "a\\", " a", "", "a !b", "x".repeat(1_001)])
			assert.ok(!canTypeInTerminal(line), line);
		assert.ok(canTypeInTerminal("npm test && git status | head -3"));
	});
});
