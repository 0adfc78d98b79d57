// Tests failing MCP servers at full size, each beside one that works.

// Includes a gigabyte without a line break, 64 MB on stderr and ten thousand tools. `npm run faults:mcp`
import assert from "node:assert/strict";
import { faultServer, openTestMcp } from "../fakes/testMcp.ts";

interface Row {
	fault: string;
	more?: string[];
	/** What the call, or the start, comes to. */
	ends: RegExp;
}

const ROWS: readonly Row[] = [
	{ fault: "none", ends: /again: hi/ },
	{ fault: "silent-start", ends: /no response within/ },
	{ fault: "silent-list", ends: /no response within/ },
	{ fault: "silent-call", ends: /did not answer in time/ },
	{ fault: "late-call", ends: /did not answer in time/ },
	{ fault: "crash-start", ends: /could not be started/ },
	{ fault: "crash-list", ends: /could not be started/ },
	{ fault: "crash-ready", ends: /again: hi|could not be asked|stopped \d+ times/ },
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

/** Of the host's memory. Bytes. */
const ROOM = 100 * 1_048_576;
/** Milliseconds between two looks at it. */
const LOOK = 20;

describe("an MCP server that fails", () => {
	for (const row of ROWS) it(`an MCP server with the fault ${row.fault} delays no other server and fills no memory`, () => fails(row));
});

async function fails({ fault, more = [], ends }: Row): Promise<void> {
	const setup = openTestMcp({
		servers: [faultServer("bad", fault, ...more), faultServer("good", "none")],
		timeouts: { start: 5_000, idleCall: 5_000 },
	});
	const before = process.memoryUsage().rss;
	let most = before;
	const watch = setInterval(() => {
		most = Math.max(most, process.memoryUsage().rss);
	}, LOOK);
	try {
		const { said, tools } = await setup.tools(["bad", "good"]);
		const named = (name: string) => tools.find((tool) => tool.name === name);
		const [bad, good] = [named("mcp__bad__echo"), named("mcp__good__echo")];
		assert.ok(good, "the other server has its tool");
		const call = bad
			? setup.call(bad, { words: "hi" }).then(
					({ output }) => output,
					(error: Error) => error.message,
				)
			: Promise.resolve(said.join(" ") || `no echo among ${tools.length - 1}`);
		const others = Promise.all(Array.from({ length: 5 }, async () => (await setup.call(good, { words: "hi" })).output));
		const [ended, answers] = await Promise.all([call, others]);
		assert.match(ended, ends);
		for (const answer of answers) assert.match(answer, /again: hi/);
		most = Math.max(most, process.memoryUsage().rss);
		assert.ok(most - before < ROOM, `${Math.round((most - before) / 1_048_576)} MB more`);
	} finally {
		clearInterval(watch);
		await setup.room.dispose();
	}
}
