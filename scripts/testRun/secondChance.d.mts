interface Judged {
	title: string;
	/** From the root of the repository. */
	file: string;
	problems?: readonly string[];
}

interface Rules {
	once: boolean;
	/** Undefined where git can't tell. */
	changed: ReadonlySet<string> | undefined;
	named: ReadonlySet<string>;
	/** How many may still be run again. */
	left: number;
}

/** Says for each failed case why it is not run again; undefined for those that are. */
export function createJudge(rules: Rules): (failed: Judged) => string | undefined;
/** The titles of cases in test/flaky.md, which are headings. */
export function readNamedCases(markdown: string): Set<string>;
