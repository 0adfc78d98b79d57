// Tests permits of calls with several uses or unclear content, and how such calls end.
import assert from "node:assert/strict";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ForeignCall, ForeignVerdict, ToolResultEvent, Turn } from "../../../src/core/ports/runtime.ts";
import { REDACTED_VALUE } from "../../../src/session/transcript/redactedValues.ts";
import { makeForeignCall } from "../../fakes/foreignRuntime.ts";
import { command, edit, open, read, verdictsOf } from "./foreignFixture.ts";
import { closeTestSessions, FILES, results } from "./testSession.ts";

const ASK = { role: "actor", settings: { approval: "ask" } } as const;
const AUTO = { role: "actor", settings: { approval: "auto" } } as const;
const UNATTENDED = { by: "api", unattended: true } as const;
const UNCLEAR = "The agent doesn't say what the command is.";

const change = (path: string, old: string, now: string) => ({ as: "update_file", input: { path, old, new: now } });
const create = (path: string, content = "export const more = 1;\n") => ({ as: "create_file", input: { path, content } });

/** A patch of an agent, which changes several files in one call. */
function patch(id: string, ...uses: ForeignCall["uses"]): ForeignCall {
	return { call: { id, name: "fileChange", input: { id } }, uses };
}
const TWO_FILES = [change("src/hello.ts", '"hello"', '"HELLO"'), create("src/more.ts")];

/** A turn that makes this call once, while it waits for approval; `ran` are the calls that ran. */
async function asking(call: ForeignCall, options: Parameters<typeof open>[1] = ASK) {
	const verdicts: ForeignVerdict[] = [];
	const ran: string[] = [];
	const setup = await open(async (turn) => {
		verdicts.push(await makeForeignCall(turn, call, () => `ran ${ran.push(call.call.id)}`));
	}, options);
	const turn = setup.session.send("Do it");
	const asked = await Promise.race([setup.event("asked"), turn.then(() => assert.fail("nobody was asked"))]);
	return { ...setup, asked, turn, verdicts, ran };
}

const reasonOf = (verdict: ForeignVerdict | undefined): string =>
	verdict?.allow === false ? verdict.reason : assert.fail("it was allowed");

describe("a call of another agent that does several things", () => {
	afterEach(closeTestSessions);

	it("is asked about once, with all changes, bound to all of them", async () => {
		const setup = await asking(patch("p", ...TWO_FILES));
		const { asked } = setup;
		assert.match(asked.summary, /src\/hello\.ts.*src\/more\.ts/);
		assert.deepEqual(asked.view?.kind === "change" && asked.view.changes.map(({ path, action }) => [path, action]), [
			["src/hello.ts", "update"],
			["src/more.ts", "create"],
		]);
		assert.equal(asked.session?.length, 2, "an approval covers both");
		await setup.answer({ allow: true, scope: "session" });
		await setup.turn;
		assert.deepEqual([setup.verdicts, setup.ran], [[{ allow: true }], ["p"]]);
		assert.equal(setup.types().filter((type) => type === "asked").length, 1);
		assert.deepEqual(
			setup.session.decisions.approved.grants.map((grant) => grant.class),
			["update_file", "create_file"],
		);
	});

	it("is asked about with a hash that no other use has", async () => {
		const hashes = new Set<string>();
		const run = (line: string) => ({ as: "execute_command", input: { command: line } });
		const others = [
			[run("make a")],
			[run("make a"), run("make b")],
			[run("make a"), run("make c")],
			TWO_FILES,
			[change("src/hello.ts", '"hello"', '"HELLO"'), create("src/more.ts", "export const more = 2;\n")],
		];
		for (const uses of others) {
			const setup = await asking(patch("p", ...uses));
			hashes.add(setup.asked.hash);
			await setup.answer({ allow: false });
			await setup.turn;
		}
		assert.equal(hashes.size, others.length);
	});

	it("offers nothing that lasts where one use can't be approved for longer, and says why first", async () => {
		const setup = await asking(patch("p", ...TWO_FILES, { as: "read_file", input: { path: ".env" } }), {
			...ASK,
			files: { ...FILES, ".env": "KEY=1\n" },
		});
		const { asked } = setup;
		assert.deepEqual([asked.session, asked.always], [undefined, undefined]);
		assert.match(asked.reason, /\.env|protected/i);
		assert.ok(
			asked.more?.some((sentence) => /No rule allows this yet/.test(sentence)),
			JSON.stringify(asked),
		);
		await setup.answer({ allow: false, reason: "Not the key." });
		await setup.turn;
		assert.match(reasonOf(setup.verdicts[0]), /Not the key/);
		assert.deepEqual(
			results(setup.session).map(({ status }) => status),
			["denied"],
		);
	});

	it("is denied as a whole, with the reason of the use that is, before anybody is asked", async () => {
		const rules = { deny: ["execute_command(npm publish)"], ask: [], allow: [] };
		const options = { ...ASK, settings: { approval: "ask" as const, rules } };
		const calls = [
			patch("a", ...TWO_FILES, { as: "execute_command", input: { command: "npm publish" } }),
			patch("b", ...TWO_FILES, { as: "launch_rocket", input: {} }),
			patch("c", ...TWO_FILES, change("../../etc/passwd", "a", "b")),
			patch("d", ...TWO_FILES, change("src/hello.ts", "nowhere in it", "b")),
		];
		const { setup, verdicts } = await verdictsOf(calls, options);
		const reasons = [/Denied by your rule/, /Nothing here has the effect of fileChange/, /passwd/, /nowhere in it|src\/hello\.ts/];
		for (const [index, reason] of reasons.entries()) assert.match(reasonOf(verdicts[index]), reason);
		assert.equal(setup.types().includes("asked"), false);
	});

	it("goes ahead unasked only where each use would", async () => {
		const { setup, verdicts } = await verdictsOf([patch("p", ...TWO_FILES, { as: "read_file", input: { path: "README.md" } })], AUTO);
		assert.deepEqual([verdicts, setup.types().includes("asked")], [[{ allow: true }], false]);
		// Ours would run hardened: theirs does not.
		const withCommand = patch("q", ...TWO_FILES, { as: "execute_command", input: { command: "git log" } });
		const { verdicts: denied } = await verdictsOf([withCommand], AUTO, UNATTENDED);
		assert.equal(denied[0]?.allow, false);
	});

	for (const [what, meddle, reason] of [
		["a file changed", (folder: string) => writeFileSync(join(folder, "src", "hello.ts"), "other\n"), /changed/],
		["a file appeared", (folder: string) => writeFileSync(join(folder, "src", "more.ts"), "other\n"), /more\.ts/],
		[
			"a path leads elsewhere",
			(folder: string) => {
				renameSync(join(folder, "src"), join(folder, "before"));
				mkdirSync(join(folder, "other"));
				writeFileSync(join(folder, "other", "hello.ts"), FILES["src/hello.ts"]);
				symlinkSync(join(folder, "other"), join(folder, "src"));
			},
			/leads elsewhere/,
		],
	] as const) {
		it(`does not run if ${what} while the person was asked`, async () => {
			const setup = await asking(patch("p", ...TWO_FILES));
			meddle(setup.app.folder);
			await setup.answer({ allow: true });
			await setup.turn;
			assert.match(reasonOf(setup.verdicts[0]), reason);
			assert.deepEqual(setup.ran, []);
		});
	}
});

describe("a call of another agent whose content is not clear", () => {
	afterEach(closeTestSessions);

	it("asks in every mode, says why, and offers nothing that lasts", async () => {
		const setup = await asking({ ...edit("a"), unclear: UNCLEAR }, AUTO);
		const { asked } = setup;
		assert.deepEqual([asked.reason, asked.session, asked.always, asked.view?.kind], [UNCLEAR, undefined, undefined, "change"]);
		await setup.answer({ allow: true, scope: "always" });
		await setup.turn;
		assert.deepEqual([setup.verdicts, setup.session.decisions.approved.grants], [[{ allow: true }], []]);
	});

	it("marks no address as one that was allowed before", async () => {
		const setup = await asking(
			{
				call: { id: "w", name: "Fetch", input: {} },
				uses: [{ as: "web_fetch", input: { url: "https://example.org/a" } }],
				unclear: UNCLEAR,
			},
			AUTO,
		);
		await setup.answer({ allow: true });
		await setup.turn;
		assert.deepEqual(setup.session.decisions.approved.destinations, []);
	});

	it("is asked about without a preview where its change can't be computed", async () => {
		const call = { ...patch("p", change("src/hello.ts", "nowhere in it", "b")), unclear: UNCLEAR };
		const setup = await asking(call, AUTO);
		assert.equal(setup.asked.view, undefined);
		await setup.answer({ allow: false });
		await setup.turn;
		assert.equal(setup.verdicts[0]?.allow, false);
	});

	it("is denied where nobody can be asked, where its role denies it, and with the placeholder of a secret", async () => {
		const unclear = (call: ForeignCall) => ({ ...call, unclear: UNCLEAR });
		const { verdicts } = await verdictsOf([unclear(edit("a")), unclear(read("b", "README.md"))], AUTO, UNATTENDED);
		for (const verdict of verdicts) assert.match(reasonOf(verdict), /nobody is there to ask/);
		const planned = await verdictsOf([unclear(command("c", "make"))], { ...AUTO, role: "planner" });
		assert.equal(planned.verdicts[0]?.allow, false);
		const redacted = { ...read("r", "README.md"), call: { id: "r", name: "Do", input: { text: REDACTED_VALUE } } };
		const written = await verdictsOf([unclear(redacted), { ...redacted, call: { ...redacted.call, id: "s" } }], AUTO);
		assert.match(reasonOf(written.verdicts[0]), /stands for a secret/);
		assert.deepEqual(written.verdicts[1], { allow: true }, "it is known to read only");
		for (const { setup } of [planned, written]) assert.equal(setup.types().includes("asked"), false);
	});
});

describe("the result of another agent's call", () => {
	afterEach(closeTestSessions);

	it("is recorded once, without secrets, and not for a call that nobody made", async () => {
		const ended: (ToolResultEvent | undefined)[] = [];
		const setup = await open(async ({ foreign }: Turn) => {
			await foreign.permit(read("a", "README.md"));
			ended.push(await foreign.ended("a", { status: "ok", output: "it is 0123456789abcdef" }));
			ended.push(await foreign.ended("a", { status: "error", output: "second" }));
			await foreign.permit(patch("b", { as: "launch_rocket", input: {} }));
			ended.push(await foreign.ended("b", { status: "ok", output: "root" }));
			ended.push(await foreign.ended("unknown", { status: "ok", output: "" }));
			return undefined;
		}, AUTO);
		setup.app.services.hidden = async () => ["0123456789abcdef"];
		await setup.session.send("Do it");
		assert.deepEqual(
			ended.map((result) => result?.status),
			["ok", "ok", "denied", undefined],
		);
		assert.deepEqual([ended[0]?.output, ended[1]?.output], [`it is ${REDACTED_VALUE}`, `it is ${REDACTED_VALUE}`]);
		assert.equal(setup.types().filter((type) => type === "result").length, 2);
	});

	it("ends the request of a call that still waits for approval, which is then refused", async () => {
		let end: () => Promise<unknown> = async () => undefined;
		const verdicts: ForeignVerdict[] = [];
		const setup = await open(async (turn) => {
			end = () => turn.foreign.ended("a", { status: "cancelled", output: "The agent took it back." });
			verdicts.push(await turn.foreign.permit(edit("a")));
			return undefined;
		}, ASK);
		const turn = setup.session.send("Do it");
		const asked = await setup.event("asked");
		await end();
		await turn;
		assert.equal(setup.session.state.requests.get(asked.request)?.state, "expired");
		assert.match(reasonOf(verdicts[0]), /took it back/);
		assert.deepEqual(
			results(setup.session).map(({ status, output }) => [status, output]),
			[["cancelled", "The agent took it back."]],
		);
	});

	it("belongs to the one call of its id, also where two are judged at the same time", async () => {
		const verdicts: ForeignVerdict[] = [];
		const setup = await open(async ({ foreign }: Turn) => {
			verdicts.push(...(await Promise.all([foreign.permit(read("a", "README.md")), foreign.permit(edit("a"))])));
			return undefined;
		}, AUTO);
		await setup.session.send("Do it");
		assert.deepEqual(
			verdicts.map(({ allow }) => allow),
			[true, false],
		);
		assert.equal(setup.session.state.calls.get("a")?.call.name, "Read");
	});
});
