// Runs the whole matrix and prints it: one line for each fault and place, one column for each format.
import { CELLS, type Cell, FORMATS, runCell, type Verdict } from "./cell.ts";

/** Cells that run side by side: most of them wait for a socket or the disk. */
const LANES = 6;

const began = Date.now();
const verdicts = new Map<Cell, Verdict>();
const waiting = [...CELLS];
await Promise.all(Array.from({ length: LANES }, lane));

async function lane(): Promise<void> {
	for (let cell = waiting.shift(); cell; cell = waiting.shift()) verdicts.set(cell, await verdictOn(cell));
}

async function verdictOn(cell: Cell): Promise<Verdict> {
	try {
		return await runCell(cell);
	} catch (error) {
		return { wrong: [error instanceof Error ? (error.stack ?? error.message) : String(error)], attempts: 0, waits: [], ended: "threw" };
	}
}

const formats = Object.keys(FORMATS);
const line = (...columns: string[]) => console.log(columns.map((text, index) => text.padEnd(index < 2 ? 26 : 46)).join(""));
line("fault", "place", ...formats);
for (const { kind, place } of CELLS.filter(({ format }) => format === formats[0])) {
	const row = formats.map((format) => {
		const found = [...verdicts].find(([cell]) => cell.kind === kind && cell.place === place && cell.format === format);
		return found ? shortly(found[1]) : "";
	});
	line(kind.name, place, ...row);
}

function shortly({ wrong, ended, attempts, waits, wentOn }: Verdict): string {
	const waited = waits.length > 0 ? `, waited ${waits.map((wait) => Math.round(wait / 100) / 10).join("+")} s` : "";
	return `${wrong.length === 0 ? "ok" : "WRONG"}  ${ended}, ${attempts} asked${waited}${wentOn ? `; gone on: ${wentOn}` : ""}`;
}

const bad = [...verdicts].filter(([, { wrong }]) => wrong.length > 0);
for (const [{ kind, place, format }, { wrong }] of bad) console.log(`\n${kind.name}, ${place}, ${format}:\n  ${wrong.join("\n  ")}`);
console.log(`\n${Math.round((Date.now() - began) / 1000)} s\n${verdicts.size - bad.length} passed, ${bad.length} failed`);
process.exitCode = bad.length === 0 ? 0 : 1;
