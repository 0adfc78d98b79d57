// Answers reach only the request they were given for, whatever comes in between.
import assert from "node:assert/strict";
import { AnswerRefusedError, Approvals } from "../../../src/session/approvals/approvals.ts";

/** A small deterministic source of numbers, so that a failing run can be repeated. */
function dice(seed: number): (sides: number) => number {
	let state = seed;
	return (sides) => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return Math.floor((state / 2 ** 32) * sides);
	};
}

describe("approvals", () => {
	it("wait on where an answer cannot be recorded, and say that it does not count", async () => {
		const approvals = new Approvals();
		const abort = new AbortController();
		const got = approvals.wait("r", { hash: "h" }, 0, abort.signal);
		const answer = (record: () => Promise<void>) => approvals.answer("r", "h", { allow: true }, 1_000, record);
		const full = () => Promise.reject(new Error("The disk is full."));
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
		const got = approvals.wait("r", { hash: "h" }, 0, abort.signal);
		const failing = async () => {
			abort.abort();
			throw new Error("The disk is full.");
		};
		await assert.rejects(approvals.answer("r", "h", { allow: true }, 1_000, failing), /couldn't be saved, so nothing ran/);
		assert.equal(await got, undefined);
		await assert.rejects(
			approvals.answer("r", "h", { allow: true }, 1_000, async () => undefined),
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
					const got = approvals.wait(request, { hash }, now, abort.signal);
					shown.push({ request, hash, abort, got, answered: false, cancelled: false });
				} else if (act === 1) {
					if (!target.answered) target.cancelled = true;
					target.abort.abort();
				} else {
					const hash = roll(4) === 0 ? `h${roll(3)}` : target.hash;
					const open = !target.answered && !target.cancelled && hash === target.hash;
					try {
						await approvals.answer(target.request, hash, { allow: true, reason: target.request }, now, async () => undefined);
						if (!open) misapplied += 1;
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
});
