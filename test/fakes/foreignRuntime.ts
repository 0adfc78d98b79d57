// A scripted runtime with its own model and tools, for tests.
import type { ForeignCall, ForeignVerdict, Runtime, Turn, TurnOutcome } from "../../src/core/ports/runtime.ts";

export interface ForeignRuntime extends Runtime {
	/** The turns it was handed. */
	turns: Turn[];
}

/** `act` is one turn after it has begun; it is done where that gives nothing. */
export function foreignRuntime(act: (turn: Turn) => Promise<TurnOutcome | undefined>, model = "elsewhere/own"): ForeignRuntime {
	const turns: Turn[] = [];
	return {
		turns,
		async run(turn) {
			turns.push(turn);
			await turn.begin({ model });
			return (await act(turn)) ?? { outcome: "done" };
		},
	};
}

/** Says that it makes a call, asks whether it may, does it, and tells what came of it. */
export async function makeForeignCall(turn: Turn, asked: ForeignCall, run: () => string | Promise<string>): Promise<ForeignVerdict> {
	await turn.emit({ type: "assistant", text: "", calls: [asked.call] });
	const verdict = await turn.foreign.permit(asked);
	if (verdict.allow) await turn.foreign.ended(asked.call.id, { status: "ok", output: await run() });
	return verdict;
}
