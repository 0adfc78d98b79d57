// Context shared by the commands of one command line during assessment.
import type { GateContext, TurnCache } from "../../core/ports/gate.ts";
import type { LstatCache, PathResolver } from "../pathResolver.ts";

export interface CommandContext {
	gateContext: GateContext;
	paths: PathResolver;
	/** Paths looked up for this line. */
	look: LstatCache;
	/** Facts cached during this turn. */
	memo: TurnCache;
	/** Number of words so far, after expansion. */
	words: number;
	/** No other command in the line changes the disk before or while this one runs. */
	steady: boolean;
}

export interface ExpandedWords {
	words: string[];
	/** Indices of words that only the shell can resolve. */
	unknown: Set<number>;
	/** Indices of words that result from a pattern. */
	matched: Set<number>;
}
