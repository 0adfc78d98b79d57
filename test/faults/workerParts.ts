// Parts that killed programs share: lines to the test, chance, pauses, and a fast clock.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

/** Written at once, so that a kill cannot take it back. */
export function acknowledge(line: object): void {
	writeSync(1, `${JSON.stringify(line)}\n`);
}

let named = 0;
/** Given once, in all processes: also ids of calls, which a session keeps apart by them. */
export const nameNext = (kind: string): string => {
	named += 1;
	return `${kind} ${process.pid}-${named}`;
};

export const chance = (part: number): boolean => Math.random() < part;

export const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];

export const pause = (longest: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() * longest));

export const soon = (): Promise<void> => pause(40);

/** Twenty times as fast in every process, so that a person who answers at once isn't refused as too early. */
export const fastNow = (): Date => new Date(BEGINNING + (Date.now() - BEGINNING) * 20);
const BEGINNING = Date.UTC(2026, 0, 1);

/** Resolves once the test says that this window is to bring everything to its end. */
export const toEnd = new Promise<void>((resolve) => {
	createInterface({ input: process.stdin }).on("line", (line) => line === "end" && resolve());
});
