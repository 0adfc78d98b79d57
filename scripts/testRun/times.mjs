// Writes where the seconds of a run went to a file in out/, and prints the slowest parts and cases.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../install.mjs";
import { readLines } from "./secondChance.mjs";

const MOST_PRINTED = 20;

/**
 * Of a run of that plan, milliseconds throughout; `processor` is undefined where it isn't known. Of a case, `start` is until its window or page is there,
 * `driving` is acting in it, `waiting` all else, and `clearing` what follows.
 */
export async function writeTimes(plan, results, sampler) {
	const file = join(root, "out", plan === "test" ? "times.json" : `times-${plan}.json`);
	const parts = results.map(({ name, began, ended, passed, failed }) => ({
		name,
		wall: ended - began,
		processor: sampler.measure(name),
		passed,
		failed,
	}));
	const cases = [];
	for (const { name, resultsFile } of results)
		for (const { began, ended, error: _, hooks: __, ...result } of await readLines(resultsFile)) {
			if (result.wall === undefined) continue;
			cases.push({ part: name, ...result, ...(began !== undefined && { processor: sampler.measure(name, began, ended) }) });
		}
	const slowestFirst = (one, other) => other.wall - one.wall;
	parts.sort(slowestFirst);
	cases.sort(slowestFirst);
	await writeFile(file, JSON.stringify({ parts, cases }, undefined, "\t"));
	print(file, parts, cases);
}

function print(file, parts, cases) {
	const seconds = (milliseconds) => (milliseconds === undefined ? "?" : (milliseconds / 1_000).toFixed(1)).padStart(7);
	console.log(`\nSeconds: wall, processor (all in ${file})`);
	for (const { name, wall, processor } of parts) console.log(`${seconds(wall)} ${seconds(processor)}  ${name}`);
	console.log("\nSlowest cases: wall, processor; start, driving, waiting, clearing");
	for (const { part, title, wall, processor, start, driving, waiting, clearing } of cases.slice(0, MOST_PRINTED)) {
		const within = start === undefined ? "" : [start, driving, waiting, clearing].map(seconds).join("");
		console.log(`${seconds(wall)} ${seconds(processor)} ${within.padStart(29)}  ${part}: ${title}`);
	}
}
