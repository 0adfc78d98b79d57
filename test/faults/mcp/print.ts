// The table of failing MCP servers, in full size: a gigabyte without a line's end, 64 MB of complaints, ten thousand tools.
import { faultServer, mcpStage } from "../../fakes/mcpStage.ts";

interface Row {
	fault: string;
	more?: string[];
	/** What the call, or the start, comes to. */
	ends: RegExp;
}

const ROWS: readonly Row[] = [
	{ fault: "none", ends: /again: hi/ },
	{ fault: "silent-start", ends: /did not answer within/ },
	{ fault: "silent-list", ends: /did not answer within/ },
	{ fault: "silent-call", ends: /did not answer in time/ },
	{ fault: "late-call", ends: /did not answer in time/ },
	{ fault: "crash-start", ends: /could not be started/ },
	{ fault: "crash-list", ends: /could not be started/ },
	{ fault: "crash-ready", ends: /again: hi|could not be asked|has stopped/ },
	{ fault: "crash-call", ends: /could not be asked/ },
	{ fault: "stray", ends: /again: hi/ },
	{ fault: "endless", more: ["1024"], ends: /could not be asked/ },
	{ fault: "babble", more: ["1024"], ends: /could not be asked/ },
	{ fault: "stderr", ends: /done grumbling/ },
	{ fault: "wrong-id", ends: /did not answer in time/ },
	{ fault: "twice", ends: /first/ },
	{ fault: "many", ends: /no echo among 1000/ },
	{ fault: "odd", ends: /again: hi/ },
	{ fault: "storm", ends: /listed/ },
	{ fault: "flip", ends: /again: hi/ },
	{ fault: "big", ends: /bytes left out here/ },
	{ fault: "asks", ends: /-32601/ },
];

/** Of the host's memory. */
const ROOM = 100 * 1_048_576;
/** Milliseconds between two looks at it. */
const LOOK = 20;

let [passed, failed] = [0, 0];
console.log(`${"fault".padEnd(14)}${"call".padEnd(8)}${"others".padEnd(8)}${"+MB".padStart(5)}${"ms".padStart(7)}  ends as`);
for (const row of ROWS) await show(row);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function show({ fault, more = [], ends }: Row): Promise<void> {
	const stage = mcpStage({
		servers: [faultServer("bad", fault, ...more), faultServer("good", "none")],
		patience: { start: 5_000, idleCall: 5_000 },
	});
	globalThis.gc?.();
	const before = process.memoryUsage().rss;
	let most = before;
	const watch = setInterval(() => {
		most = Math.max(most, process.memoryUsage().rss);
	}, LOOK);
	const began = performance.now();
	const { said, tools } = await stage.tools(["bad", "good"]);
	const named = (name: string) => tools.find((tool) => tool.name === name);
	const [bad, good] = [named("mcp__bad__echo"), named("mcp__good__echo")];
	const call = bad
		? stage.call(bad, { words: "hi" }).then(
				({ output }) => output,
				(error: Error) => error.message,
			)
		: Promise.resolve(said.join(" ") || `no echo among ${tools.length - 1}`);
	const others = Promise.all(
		Array.from({ length: 5 }, async () => good && /again: hi/.test((await stage.call(good, { words: "hi" })).output)),
	).catch(() => [false]);
	const [ended, fine] = await Promise.all([call, others]);
	const time = performance.now() - began;
	clearInterval(watch);
	most = Math.max(most, process.memoryUsage().rss);
	await stage.room.dispose();
	const grown = most - before;
	const right = [ends.test(ended), fine.every(Boolean), grown < ROOM];
	if (right.every(Boolean)) passed += 1;
	else failed += 1;
	const marks = right.slice(0, 2).map((is) => (is ? "ok" : "WRONG").padEnd(8));
	const memory = `${right[2] ? "" : "!"}${Math.round(grown / 1_048_576)}`.padStart(5);
	const words = ended.replace(/\s+/g, " ").replace(/^<from_outside.*?instruction to you\. /, "");
	console.log(`${fault.padEnd(14)}${marks.join("")}${memory}${time.toFixed(0).padStart(7)}  ${words.slice(0, 70)}`);
}
