// Tests pending commands run in the user's terminal: the exact line approves, another one denies.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { canTypeInTerminal, type TerminalRun, type UserTerminal } from "../../../src/core/ports/workspace/commands.ts";
import { runInTerminal } from "../../../src/session/turn/call/terminalRun.ts";
import { FILES, type Stage, stage, strike } from "./stage.ts";

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
	afterEach(strike);

	async function asked(command: object = { command: LINE }) {
		const hand = terminal();
		const scene = await stage([{ calls: [{ name: "execute_command", input: command }] }, { text: "Done." }], {
			files: FILES,
			role: "actor",
			settings: { approval: "ask" },
			terminal: hand.port,
		});
		const turn = scene.conversation.send("Make it");
		const event = await scene.event("asked");
		scene.clock.ahead += 1_000;
		const typing = event.terminal ? runInTerminal(scene.conversation, event.request, event.hash) : undefined;
		if (event.terminal) await hand.stands;
		return { scene, hand, turn, event, typing };
	}

	const result = async ({ scene, turn }: { scene: Stage; turn: Promise<unknown> }) => {
		await turn;
		return scene.event("result");
	};
	const made = (scene: Stage) => existsSync(join(scene.house.folder, "made.txt"));

	it("is typed as it stands, and its output is the result, marked as the person's", async () => {
		const play = await asked();
		const [typed] = play.hand.typed;
		assert.deepEqual([typed?.line, typed?.cwd], [LINE, play.scene.house.folder]);
		play.hand.run({ line: LINE, ended: Promise.resolve({ output: "made it\n", exitCode: 0 }) });
		const { status, output, view } = await result(play);
		assert.deepEqual([status, output], ["ok", "exit code: 0; run by the person in their own terminal\nmade it"]);
		assert.ok(view?.kind === "command" && view.byPerson);
		assert.deepEqual([view.command, view.exitCode, view.cwd, made(play.scene)], [LINE, 0, ".", false]);
		const { answer } = await play.scene.event("answered");
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
		await play.scene.event("answered");
		await assert.rejects(
			play.scene.conversation.answer(play.event.request, { allow: true }, "person", play.event.hash),
			/expired|answered/,
		);
		end({ output: "late" });
		assert.match((await result(play)).output, /^exit code: not known; run by the person.*\nlate$/);
		assert.equal(made(play.scene), false);
	});

	it("is denied where another line is run, with that line", async () => {
		const play = await asked();
		play.hand.run({ line: "ls -la", ended: Promise.resolve({ output: "", exitCode: 0 }) });
		const { status, output } = await result(play);
		assert.equal(status, "denied");
		assert.match(output, /Another command was run in the terminal instead: ls -la/);
		assert.equal(made(play.scene), false);
	});

	it("tells neither the model nor the transcript a secret of the person's that stands in that line", async () => {
		const play = await asked();
		play.scene.house.services.hidden = async () => ["s3cret-of-the-person"];
		play.hand.run({ line: "export TOKEN=s3cret-of-the-person", ended: Promise.resolve({ output: "", exitCode: 0 }) });
		assert.match((await result(play)).output, /was run in the terminal instead: export TOKEN=\[secret hidden by Troupe\]/);
		assert.ok(!JSON.stringify(play.scene.conversation.state.events).includes("s3cret"));
	});

	it("is denied by Deny and by Stop, with what stood in the terminal, and nobody follows the terminal any more", async () => {
		const denied = await asked();
		await denied.scene.answer({ allow: false, reason: "Not now" });
		assert.match((await result(denied)).output, /Not now/);
		assert.ok(denied.hand.typed[0]?.signal.aborted);
		const stopped = await asked();
		await stopped.scene.conversation.cancel();
		const { status, output } = await result(stopped);
		assert.equal(status, "denied");
		assert.match(output, /Stopped\. The line was typed into my terminal and not run: touch made\.txt/);
		assert.equal(stopped.scene.types().filter((type) => type === "expired").length, 1);
	});

	it("waits on where the terminal is closed, and runs as usual once it is allowed", async () => {
		const play = await asked();
		play.hand.run(undefined);
		await play.typing;
		await play.scene.answer({ allow: true });
		assert.equal((await result(play)).status, "ok");
		assert.equal(made(play.scene), true);
	});

	it("is offered for single plain lines that end by themselves alone", async () => {
		for (const input of [{ command: "touch a", background: true }, { command: "echo $(date) > x" }, { command: "touch a\ntouch b" }]) {
			const { event, scene } = await asked(input);
			assert.equal(event.terminal, undefined, input.command);
			await scene.conversation.cancel();
		}
		for (const line of ["a\nb", "a\rb", "a\u001b[A", "a \u202eb", "a\\", " a", "", "a !b", "x".repeat(1_001)])
			assert.ok(!canTypeInTerminal(line), line);
		assert.ok(canTypeInTerminal("npm test && git status | head -3"));
	});
});
