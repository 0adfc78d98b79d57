// What the judging of a command line shares between its commands.
import type { GateSurroundings, TurnMemo } from "../../core/ports/gate.ts";
import type { Look, Paths } from "../paths.ts";

/** What all commands of one line share. */
export interface Context {
	surroundings: GateSurroundings;
	paths: Paths;
	/** What was looked up for this line. */
	look: Look;
	/** What was learned in this turn. */
	memo: TurnMemo;
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
