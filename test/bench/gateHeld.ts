// Measures how long the gate blocks the event loop on costly command lines of up to one megabyte.

// Usage: `held.mjs PARSER_FOLDER`. Prints one line of JSON, in milliseconds.
import { holdOf } from "../attack/budget/hold.ts";
import { inputs } from "../attack/budget/inputs.ts";
import { askingOver } from "./gateWorkspace.ts";

const [parser] = process.argv.slice(2);
if (parser === undefined) throw new Error("usage: held.mjs FOLDER-OF-THE-PARSER");
const TRIES = 3;
/** Milliseconds that are not worth a second try: something else may have held it. */
const FINE = 25;

const asking = askingOver(parser);
try {
	await asking.command("ls packages && cat README.md | wc -l", new Map());
	const held: Record<string, number> = {};
	for (const { name, text } of inputs()) {
		let best = Number.POSITIVE_INFINITY;
		for (let attempt = 0; attempt < TRIES && best > FINE; attempt += 1)
			best = Math.min(best, (await holdOf(() => asking.command(text, new Map()))).held);
		held[name] = best;
	}
	console.log(JSON.stringify(held));
} finally {
	await asking.close();
}
process.exit(0);
