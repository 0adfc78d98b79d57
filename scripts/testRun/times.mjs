// Writes where the seconds of a run went to out/times.json, and prints the slowest parts and cases.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../install.mjs";
import { readLines } from "./secondChance.mjs";

const FILE = join(root, "out", "times.json");
const MOST_PRINTED = 20;

/**
 * Milliseconds throughout; `processor` is undefined where it isn't known. Of a case, `start` is until its window or page is there,
 * `driving` is acting in it, `waiting` all else, and `clearing` what follows.
 */
export async function writeTimes(results, sampler) {
	const parts = results.map(({ name, began, ended, passed, failed }) => ({
		name,
		wall: ended - began,
		processor: sampler.used(name),
		passed,
		failed,
	}));
	const cases = [];
	for (const { name, resultsFile } of results)
		for (const { title, file, state, began, ended, wall, start, driving, waiting, clearing } of await readLines(resultsFile)) {
			const processor = began === undefined ? undefined : sampler.used(name, began, ended);
			cases.push({ part: name, title, file, state, wall, processor, start, driving, waiting, clearing });
		}
	const slowestFirst = (one, other) => other.wall - one.wall;
	parts.sort(slowestFirst);
	cases.sort(slowestFirst);
	await writeFile(FILE, JSON.stringify({ parts, cases }, undefined, "\t"));
	print(parts, cases);
}

function print(parts, cases) {
	const seconds = (milliseconds) => (milliseconds === undefined ? "?" : (milliseconds / 1_000).toFixed(1)).padStart(7);
	console.log("\nSeconds: wall, processor (all in out/times.json)");
	for (const { name, wall, processor } of parts) console.log(`${seconds(wall)} ${seconds(processor)}  ${name}`);
	console.log("\nSlowest cases: wall, processor; start, driving, waiting, clearing");
	for (const { part, title, wall, processor, start, driving, waiting, clearing } of cases.slice(0, MOST_PRINTED)) {
		const within = start === undefined ? "" : [start, driving, waiting, clearing].map(seconds).join("");
		console.log(`${seconds(wall)} ${seconds(processor)} ${within.padStart(29)}  ${part}: ${title}`);
	}
}
