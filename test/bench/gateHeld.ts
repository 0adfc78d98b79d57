// For how long the gate holds the event loop while it decides on lines of a megabyte. Prints one line of JSON, in milliseconds.
import { holdOf } from "../attack/budget/hold.ts";
import { inputs } from "../attack/budget/inputs.ts";
import { askingOver } from "./gateWorkspace.ts";

const [parser] = process.argv.slice(2);
if (parser === undefined) throw new Error("usage: held.mjs FOLDER-OF-THE-PARSER");
const TRIES = 3;

const asking = askingOver(parser);
try {
	await asking.command("ls packages && cat README.md | wc -l", new Map());
	const held: Record<string, number> = {};
	for (const { name, text } of inputs()) {
		if (text.length < 1_000_000) continue;
		const tries: number[] = [];
		for (let attempt = 0; attempt < TRIES; attempt += 1) tries.push((await holdOf(() => asking.command(text, new Map()))).held);
		held[name] = Math.min(...tries);
	}
	console.log(JSON.stringify(held));
} finally {
	await asking.close();
}
process.exit(0);
