// A scripted runtime with its own model and tools, for tests.
import type { ForeignUse, ForeignVerdict, Runtime, Turn, TurnOutcome } from "../../src/core/ports/runtime.ts";

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
export async function useForeignTool(turn: Turn, use: ForeignUse, run: () => string | Promise<string>): Promise<ForeignVerdict> {
	await turn.emit({ type: "assistant", text: "", calls: [use.call] });
	const verdict = await turn.permit(use);
	if (verdict.allow) await turn.emit({ type: "result", call: use.call.id, status: "ok", output: await run() });
	return verdict;
}
