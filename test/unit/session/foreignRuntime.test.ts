// Tests turns and tool uses of a runtime that has its own model.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ForeignCall, ForeignVerdict, Turn } from "../../../src/core/ports/runtime.ts";
import { REDACTED_VALUE } from "../../../src/session/transcript/redactedValues.ts";
import { makeForeignCall } from "../../fakes/foreignRuntime.ts";
import { command, edit, open, read, verdictsOf, WRITER } from "./foreignFixture.ts";
import { closeTestSessions, FILES, results } from "./testSession.ts";

describe("a turn of a runtime with its own model", () => {
	afterEach(closeTestSessions);

	it("runs without one of ours being chosen, under the name that the runtime gives", async () => {
		const { session, event, runtime } = await open(async (turn) => {
			await turn.emit({ type: "assistant", text: "Hello from elsewhere." });
		});
		assert.equal((await session.send("Hi")).outcome, "done");
		assert.equal((await event("started")).model, "elsewhere/own");
		const [turn] = runtime.turns;
		assert.deepEqual([turn?.sessionId, turn?.role.id, turn?.ceiling], [session.sessionId, "planner", undefined]);
		await assert.rejects(session.compact(), { code: "own-history" });
	});

	it("knows the powers of whoever began it, and its own budget", async () => {
		const { session, runtime } = await open(async () => undefined);
		await session.send("Go", { by: "agent:reader", ceiling: ["ReadFiles"], budget: { steps: 3, tokens: 500 } });
		await session.send("Go");
		assert.deepEqual(
			runtime.turns.map(({ ceiling, budget: { shared: _, ...budget } }) => [ceiling, budget]),
			[
				[["ReadFiles"], { steps: 3, tokens: 500 }],
				[undefined, { steps: 100 }],
			],
		);
	});

	it("finds what it kept in the next turn, also after a reload, and nothing once the history is cleared", async () => {
		const home = mkdtempSync(join(tmpdir(), "troupe-runtime-"));
		try {
			const seen: (string | undefined)[] = [];
			const act = async ({ store }: Turn) => {
				seen.push(await store.get("resume"));
				await store.set("resume", "abc-123");
				return undefined;
			};
			const before = await open(act, { home });
			await before.session.send("One");
			await before.session.send("Two");
			await closeTestSessions();
			const after = await open(act, { home });
			await after.session.send("Three");
			await after.app.sessions.clear(after.summary.sessionId);
			await (await after.app.sessions.get(after.summary.sessionId)).setAgent(WRITER.agentId);
			await (await after.app.sessions.get(after.summary.sessionId)).send("Four");
			assert.deepEqual(seen, [undefined, "abc-123", "abc-123", undefined]);
		} finally {
			rmSync(home, { recursive: true, force: true });
		}
	});

	it("keeps no more of a session than a few short texts", async () => {
		const { session, app } = await open(async ({ store }) => {
			await store.set("all", "x".repeat(5_000));
			return undefined;
		});
		assert.equal((await session.send("Hi")).outcome, "failed");
		assert.match(app.logged.join("\n"), /at most 4000 characters/);
	});

	it("has one result for each call, whatever the runtime tells or leaves open", async () => {
		const { session } = await open(async (turn) => {
			await turn.emit({ type: "assistant", text: "", calls: [edit("a").call, edit("b").call] });
			await turn.foreign.ended("a", { status: "ok", output: "first" });
			await turn.foreign.ended("a", { status: "error", output: "second" });
		});
		await session.send("Hi");
		assert.deepEqual(
			session.state.events.flatMap((event) => (event.type === "result" ? [[event.call, event.status, event.output]] : [])),
			[
				["a", "ok", "first"],
				["b", "unknown", ""],
			],
		);
	});
});

describe("what an agent does with tools of its own", () => {
	afterEach(closeTestSessions);

	it("is refused where the role refuses it of ours, with the result in the transcript, and nobody is asked", async () => {
		const { setup, verdicts } = await verdictsOf([edit("a"), command("b", "touch made")]);
		assert.deepEqual(
			verdicts.map(({ allow }) => allow),
			[false, false],
		);
		assert.deepEqual(
			results(setup.session).map(({ tool, status }) => [tool, status]),
			[
				["Edit", "denied"],
				["Bash", "denied"],
			],
		);
		assert.equal(setup.types().includes("asked"), false);
	});

	it("is refused beyond the powers of whoever began the turn, though the role and the mode allow it", async () => {
		const from = { by: "agent:reader", ceiling: ["ReadFiles"] } as const;
		const { verdicts } = await verdictsOf([edit("a")], { role: "actor", settings: { approval: "auto" } }, from);
		assert.match(verdicts[0]?.allow === false ? verdicts[0].reason : "", /The agent that delegated this task can't change files/);
	});

	it("is asked with the change as it would be made, bound to it, and goes on as the person says", async () => {
		const verdicts: ForeignVerdict[] = [];
		const setup = await open(
			async (turn) => {
				verdicts.push(await makeForeignCall(turn, edit("a"), () => "written"));
			},
			{ role: "actor", settings: { approval: "ask" } },
		);
		const turn = setup.session.send("Do it");
		const asked = await setup.event("asked");
		assert.deepEqual([asked.call, asked.view?.kind], ["a", "change"]);
		assert.match(asked.view?.kind === "change" ? (asked.view.changes[0]?.diff ?? "") : "", /\+export const greeting = "HELLO"/);
		await setup.answer({ allow: true });
		await turn;
		assert.deepEqual(verdicts, [{ allow: true }]);
		assert.deepEqual(
			results(setup.session).map(({ tool, status, output }) => [tool, status, output]),
			[["Edit", "ok", "written"]],
		);
	});

	it("does not run where the person denies it, and their reason reaches it", async () => {
		const verdicts: ForeignVerdict[] = [];
		const ran: string[] = [];
		const setup = await open(
			async (turn) => {
				verdicts.push(await makeForeignCall(turn, edit("a"), () => `${ran.push("a")}`));
			},
			{ role: "actor", settings: { approval: "ask" } },
		);
		const turn = setup.session.send("Do it");
		await setup.answer({ allow: false, reason: "Not that file." });
		await turn;
		assert.match(verdicts[0]?.allow === false ? verdicts[0].reason : "", /Not that file/);
		assert.deepEqual([ran, results(setup.session).map(({ status }) => status)], [[], ["denied"]]);
	});

	it("is denied, not asked, in a turn that nobody attends", async () => {
		const options = { role: "actor", settings: { approval: "ask" } } as const;
		const { setup, verdicts } = await verdictsOf([edit("a")], options, { by: "api", unattended: true });
		assert.deepEqual([verdicts[0]?.allow, setup.types().includes("asked")], [false, false]);
	});

	it("goes ahead where the same call of ours would, and asks for what ours would do only kept in", async () => {
		const uses = [edit("a"), read("r", "README.md")];
		const { setup, verdicts } = await verdictsOf(uses, { role: "actor", settings: { approval: "auto" } });
		assert.deepEqual(
			verdicts.map(({ allow }) => allow),
			[true, true],
		);
		assert.equal(setup.types().includes("asked"), false);
		// Ours would run hardened: theirs does not.
		const { setup: other, verdicts: reading } = await verdictsOf(
			[command("c", "git log")],
			{ role: "actor", settings: { approval: "auto" } },
			{ by: "api", unattended: true },
		);
		assert.deepEqual([reading[0]?.allow, other.types().includes("asked")], [false, false]);
	});

	it("is refused where nothing of ours has its effect, where it Can't be read, and for a call that is another than was shown", async () => {
		const options = { role: "actor", settings: { approval: "auto" } } as const;
		const uses = [
			{ ...edit("a"), uses: [{ as: "launch_rocket", input: {} }] },
			{ ...edit("b"), uses: [{ as: "update_file", input: { path: 7 } }] },
			{ ...edit("c"), uses: [{ as: "update_file", input: { path: "../../etc/passwd", old: "a", new: "b" } }] },
			{ ...edit("d"), uses: [] },
		];
		const { verdicts } = await verdictsOf(uses, { ...options, settings: { approval: "auto" } });
		assert.deepEqual(
			verdicts.map(({ allow }) => allow),
			[false, false, false, false],
		);
		const swapped: ForeignVerdict[] = [];
		const setup = await open(async (turn) => {
			await turn.emit({ type: "assistant", text: "", calls: [command("x", "echo harmless").call] });
			swapped.push(await turn.foreign.permit(command("x", "rm -rf .")));
			swapped.push(await turn.foreign.permit(edit("y")));
			swapped.push(await turn.foreign.permit(edit("y")));
			await turn.foreign.ended("y", { status: "ok", output: "" });
			swapped.push(await turn.foreign.permit(edit("y")));
		}, options);
		await setup.session.send("Do it");
		assert.deepEqual(
			swapped.map(({ allow }) => allow),
			[false, true, true, false],
		);
		assert.equal(
			setup.session.state.calls.get("y")?.call.name,
			"Edit",
			"a call that was not told of is in the transcript before it is judged",
		);
	});

	it("is refused where it would write the placeholder of a redacted secret", async () => {
		const input = { path: "src/hello.ts", old: '"hello"', new: `"${REDACTED_VALUE}"` };
		const uses = [
			{ ...edit("a"), uses: [{ as: "update_file", input }] },
			command("b", `echo "${REDACTED_VALUE}" > .env`),
			read("r", "README.md"),
		];
		const options = { role: "actor", settings: { approval: "auto" } } as const;
		const { setup, verdicts } = await verdictsOf(uses, options, { by: "api", unattended: true });
		assert.deepEqual(
			verdicts.map(({ allow }) => allow),
			[false, false, true],
		);
		for (const { output } of results(setup.session).slice(0, 2)) assert.match(output, /stands for a secret that you are not shown/);
		assert.equal(setup.types().includes("asked"), false);
	});

	it("is asked about when it repeats the same uses three times, also where each by itself is allowed", async () => {
		// Words that say what a call is for differ each time.
		const reading = (id: string): ForeignCall => ({
			...read(id, "README.md"),
			call: { id, name: "Read", input: { file: "README.md", purpose: `Reads it as ${id}` } },
		});
		const calls = ["a", "b", "c"].map(reading);
		const verdicts: ForeignVerdict[] = [];
		const setup = await open(
			async (turn) => {
				for (const call of calls) verdicts.push(await makeForeignCall(turn, call, () => "done"));
			},
			{ role: "actor", settings: { approval: "auto" } },
		);
		const turn = setup.session.send("Do it");
		const asked = await Promise.race([setup.event("asked"), turn.then(() => assert.fail("nobody was asked"))]);
		assert.deepEqual([asked.call, asked.session, asked.always], ["c", undefined, undefined]);
		assert.match(asked.reason, /repeating itself/);
		await setup.answer({ allow: false, reason: "Once is enough." });
		await turn;
		assert.deepEqual(
			verdicts.map(({ allow }) => allow),
			[true, true, false],
		);
		const unattended = await verdictsOf(calls, { role: "actor", settings: { approval: "auto" } }, { by: "api", unattended: true });
		assert.match(unattended.verdicts[2]?.allow === false ? unattended.verdicts[2].reason : "", /The model repeats itself/);
	});

	it("asks for protected places in every mode", async () => {
		const setup = await open(
			async (turn) => {
				await makeForeignCall(turn, read("e", ".env"), () => "SECRET");
			},
			{ role: "actor", settings: { approval: "auto" }, files: { ...FILES, ".env": "KEY=1\n" } },
		);
		const turn = setup.session.send("Do it");
		const asked = await setup.event("asked");
		assert.equal(asked.call, "e");
		await setup.answer({ allow: false });
		await turn;
		assert.deepEqual(
			results(setup.session).map(({ status }) => status),
			["denied"],
		);
	});
});
