// Context shared by the commands of one command line during assessment.
import type { GateContext, TurnCache } from "../../core/ports/gate.ts";
import type { LstatCache, PathResolver } from "../pathResolver.ts";

/** What all commands of one line share. */
export interface CommandContext {
	surroundings: GateContext;
	paths: PathResolver;
	/** What was looked up for this line. */
	look: LstatCache;
	/** What was learned in this turn. */
	memo: TurnCache;
	/** Words so far, patterns expanded. */
	words: number;
	/** Nothing else in the line changes the disk before the command that is judged, or beside it. */
	steady: boolean;
}

export interface ExpandedWords {
	words: string[];
	/** Places of words whose text only the shell knows. */
	unknown: Set<number>;
	/** Places of words that a pattern was expanded to. */
	matched: Set<number>;
}
