interface FailedCase {
	title: string;
	/** From the root of the repository. */
	file: string;
	state?: string;
	hook?: boolean;
	problems?: readonly string[];
}

export interface Rules {
	once: boolean;
	/** Undefined where git can't tell. */
	changed: ReadonlySet<string> | undefined;
	named: ReadonlySet<string>;
	/** Takes one of the chances of this run; false if none is left. */
	takeChance(title: string): Promise<boolean>;
}

/** Says for a failed case why it is not run again; undefined for one that is. */
export function createJudge(rules: Rules): (failed: FailedCase) => Promise<string | undefined>;
/** The titles of cases in test/flaky.md, which are headings. */
export function readNamedCases(markdown: string): Set<string>;
export function readLines(file: string): Promise<Record<string, unknown>[]>;
