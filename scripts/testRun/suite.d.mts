interface Run {
	/** The file for a line of JSON for each case. */
	results: string;
	only?: { title: string; file: string; whole?: boolean };
}

export function runSuite(suite: {
	name: string;
	once: boolean;
	repeat: number;
	run(run: Run): Promise<number>;
	print?(text: string): void;
}): Promise<number>;
export function patternOf(one: { title: string; whole?: boolean }): string;
