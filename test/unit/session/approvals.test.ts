// Answers reach only the request they were given for, whatever comes in between.
import assert from "node:assert/strict";
import type { Answer, EventOf } from "../../../src/core/events.ts";
import type { RequestState } from "../../../src/core/transcript/state.ts";
import { AnswerRefusedError, Approvals, type GivenAnswer, judgeAnswer } from "../../../src/session/state/pendingApprovals.ts";

/** A small deterministic source of numbers, so that a failing run can be repeated. */
function dice(seed: number): (sides: number) => number {
	let state = seed;
	return (sides) => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return Math.floor((state / 2 ** 32) * sides);
	};
}

/** A request of the transcript, as it was recorded `at` milliseconds after the epoch. */
function requested(event: Record<string, unknown>, at = 0, state: RequestState["state"] = "pending"): RequestState {
	const whole = { request: "r", at: new Date(at).toISOString(), ...event } as unknown as EventOf<"asked"> | EventOf<"question">;
	return { kind: whole.type === "question" ? "question" : "approval", event: whole, state };
}

const asked = (hash: string, at = 0) => requested({ type: "asked", hash, session: ["npm test"] }, at);

describe("approvals", () => {
	it("wait on where an answer cannot be recorded, and say that it does not count", async () => {
		const approvals = new Approvals();
		const abort = new AbortController();
		const got = approvals.wait("r", { hash: "h" }, abort.signal);
		const answer = (record: () => Promise<void>) => approvals.answer("r", "h", { allow: true }, record);
		const full = () => Promise.reject(Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }));
		await assert.rejects(answer(full), (error: Error) => {
			// What is refused is dropped in silence.
			assert.ok(!(error instanceof AnswerRefusedError));
			return /couldn't be saved, so nothing ran.*The disk is full\./.test(error.message);
		});
		await answer(async () => undefined);
		assert.deepEqual(await got, { allow: true });
	});

	it("do not wait on where they expired while their answer could not be recorded", async () => {
		const approvals = new Approvals();
		const abort = new AbortController();
		const got = approvals.wait("r", { hash: "h" }, abort.signal);
		const failing = async () => {
			abort.abort();
			throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
		};
		await assert.rejects(approvals.answer("r", "h", { allow: true }, failing), /couldn't be saved, so nothing ran/);
		assert.equal(await got, undefined);
		await assert.rejects(
			approvals.answer("r", "h", { allow: true }, async () => undefined),
			/expired/,
		);
	});

	it("are never mis-applied over 10,000 interleavings of asking, cancelling, asking again and answering", async () => {
		const roll = dice(7);
		let misapplied = 0;
		let applied = 0;
		for (let round = 0; round < 10_000; round += 1) {
			const approvals = new Approvals();
			const shown: {
				request: string;
				hash: string;
				entry: RequestState;
				since: number;
				abort: AbortController;
				got: Promise<unknown>;
				answered: boolean;
				cancelled: boolean;
			}[] = [];
			let now = 0;
			for (let step = 0; step < 12; step += 1) {
				now += roll(900);
				const target = shown[roll(shown.length || 1)];
				const act = roll(3);
				if (act === 0 || !target) {
					const abort = new AbortController();
					const request = `r${step}`;
					const hash = `h${roll(3)}`;
					const got = approvals.wait(request, { hash }, abort.signal);
					shown.push({ request, hash, entry: asked(hash, now), since: now, abort, got, answered: false, cancelled: false });
				} else if (act === 1) {
					if (!target.answered) target.cancelled = true;
					target.abort.abort();
				} else {
					const hash = roll(4) === 0 ? `h${roll(3)}` : target.hash;
					const open = !target.answered && !target.cancelled && hash === target.hash;
					try {
						const answer = { allow: true, reason: target.request };
						const effect = judgeAnswer(target.entry, { answer, by: "person", hash, at: now });
						assert.ok(effect.kind === "approval");
						await approvals.answer(target.request, effect.hash, effect.answer, async () => undefined);
						if (!open || now - target.since < 500) misapplied += 1;
						target.answered = true;
						applied += 1;
					} catch (error) {
						assert.ok(error instanceof AnswerRefusedError);
					}
				}
			}
			for (const { abort } of shown) abort.abort();
			for (const { request, got, answered } of shown) {
				const answer = (await got) as { reason?: string } | undefined;
				if (answered ? answer?.reason !== request : answer !== undefined) misapplied += 1;
			}
		}
		assert.equal(misapplied, 0);
		assert.ok(applied > 1_000, `only ${applied} answers were applied`);
	});

	it("settle nothing with an answer to a request that has the same id and another hash", async () => {
		const approvals = new Approvals();
		const abort = new AbortController();
		const got = approvals.wait("r", { hash: "h" }, abort.signal);
		await assert.rejects(
			approvals.answer("r", "another", { allow: true }, async () => assert.fail("recorded")),
			{ code: "expired" },
		);
		abort.abort();
		assert.equal(await got, undefined);
	});
});

describe("an answer", () => {
	const allow: GivenAnswer = { answer: { allow: true }, by: "person", hash: "h", at: 1_000 };
	const question = requested({
		type: "question",
		question: { question: "Which?", options: [{ label: "The first", value: "1" }], allow_custom: false },
	});
	const withAnswer = (answer: Answer): GivenAnswer => ({ ...allow, answer });
	const refusals: [string, RequestState | "plan" | undefined, GivenAnswer, AnswerRefusedError["code"]][] = [
		["by an agent", asked("h"), { ...allow, by: "agent:other" }, "author"],
		["by a channel, to a plan", "plan", { ...allow, by: "channel:elsewhere" }, "author"],
		["to nothing", undefined, allow, "expired"],
		["to what was answered", requested({ type: "asked", hash: "h" }, 0, "answered"), allow, "expired"],
		["499 ms after an approval appeared", asked("h"), { ...allow, at: 499 }, "early"],
		["499 ms after a question appeared", question, { ...withAnswer({ value: "1" }), at: 499 }, "early"],
		["with a value, to an approval", asked("h"), withAnswer({ value: "1" }), "malformed"],
		["by the person, without a hash", asked("h"), { ...allow, hash: undefined }, "malformed"],
		["with the hash of something else", asked("h"), { ...allow, hash: "another" }, "changed"],
		["over the API with the hash of something else", asked("h"), { ...allow, by: "api", hash: "another" }, "changed"],
		["that allows a question", question, allow, "malformed"],
		["with words that are no option", question, withAnswer({ value: "2" }), "malformed"],
		["that denies a plan", "plan", withAnswer({ allow: false }), "malformed"],
	];
	for (const [name, pending, given, code] of refusals)
		it(`${name} is refused with the code "${code}"`, () => {
			assert.throws(() => judgeAnswer(pending, given), { name: "AnswerRefusedError", code });
		});

	it("is refused for its author first, then for its request, its time, its form and its hash", () => {
		const wrong: GivenAnswer = { answer: { value: "1" }, by: "agent:other", hash: "another", at: 0 };
		const person: GivenAnswer = { ...wrong, by: "person" };
		const late: GivenAnswer = { ...person, at: 1_000 };
		const cases: [RequestState | undefined, GivenAnswer, string][] = [
			[undefined, wrong, "author"],
			[undefined, person, "expired"],
			[asked("h"), person, "early"],
			[asked("h"), late, "malformed"],
			[asked("h"), { ...late, answer: { allow: true } }, "changed"],
		];
		for (const [pending, given, code] of cases) assert.throws(() => judgeAnswer(pending, given), { code });
	});

	it("that applies has the effect of what it answers, limited to what was offered", () => {
		const always = withAnswer({ allow: true, scope: "always" });
		const session = withAnswer({ allow: true, scope: "session" });
		const once = { kind: "approval", hash: "h", answer: { allow: true } };
		assert.deepEqual(judgeAnswer(asked("h"), { ...allow, at: 500 }), once);
		assert.deepEqual(judgeAnswer(asked("h"), { ...allow, by: "api", hash: undefined }), once);
		assert.deepEqual(judgeAnswer(asked("h"), always), once);
		assert.deepEqual(judgeAnswer(asked("h"), session), { ...once, answer: { allow: true, scope: "session" } });
		assert.deepEqual(judgeAnswer(question, withAnswer({ allow: false })), { kind: "dismissal" });
		const choice = { kind: "choice", event: question.event, value: "1", say: "The first" };
		assert.deepEqual(judgeAnswer(question, withAnswer({ value: "1" })), choice);
		assert.deepEqual(judgeAnswer("plan", allow), { kind: "plan" });
	});
});
