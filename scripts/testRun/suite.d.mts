import type { Rules } from "./secondChance.mjs";

interface Run {
	/** The file for a line of JSON for each case. */
	results: string;
	attempt: string;
	only?: { title: string; file: string };
}

export function runSuite(suite: {
	name: string;
	once: boolean;
	repeat: number;
	run(run: Run): Promise<number>;
	print?(text: string): void;
	rules?: Rules;
	flakyFile?: string;
}): Promise<number>;
export function toPattern(one: { title: string }): string;
