// Script and server of the fake model for benchmarks.

// "Turn 3" gets twenty tool calls, one per answer, and a final answer. "Say 3" gets a text whose first piece is held
// back until the page is idle, and its second piece until the first was visible. Each answer depends on the request
// alone, so any number of conversations can run at once.

import type { AskedMessage, AskedRequest, ScriptedAnswer } from "../fakes/modelServer/script.ts";
import { startModelServer } from "../fakes/modelServer/server.ts";

interface Call {
	name: string;
	input: Record<string, string>;
	/** What its result holds when it did its work. */
	expect: RegExp;
}

/** The file that turns change. */
export const changing = { path: "src/counters.ts", content: "export const a = 0;\nexport const b = 0;\nexport const c = 0;\n" };

export const callsInTurn = 20;

export function callsOf(turn: number): Call[] {
	const create = (name: string): Call => ({
		name: "create_file",
		input: { path: `notes/turn-${turn}-${name}.md`, content: `# Turn ${turn}\n\nWritten by call ${name}.\n` },
		expect: /written|\+3/,
	});
	const update = (name: string): Call => ({
		name: "update_file",
		input: { path: changing.path, old: `${name} = ${turn};`, new: `${name} = ${turn + 1};` },
		expect: /written|\+1/,
	});
	const writes = [create("one"), update("a"), update("b"), create("two"), update("c")];
	const reads = [changing.path, "src/cart.ts", "src/money.ts", "src/invoice.ts", "src/inventory.ts"];
	const folders = ["src", "test", ".", "src", "test"];
	const patterns = ["formatPrice", "export function", "quantity", "import \\{", "const \\w+ = "];
	return [0, 1, 2, 3, 4].flatMap((at): Call[] => [
		{ name: "list_directory", input: { path: folders[at] as string }, expect: /\.ts|src/ },
		{ name: "read_file", input: { path: reads[at] as string }, expect: /export/ },
		{ name: "search_code", input: { pattern: patterns[at] as string }, expect: /src\/\w+\.ts/ },
		writes[at] as Call,
	]);
}

export interface BenchServer {
	url: string;
	/** Results that were not what the call should have given, one sentence each. */
	complaints: string[];
	/** Of every request, in order. */
	bodies(): Record<string, unknown>[];
	/** When the first words of the answer to "Say <word>" were written, in milliseconds of the wall clock. */
	written(word: string): number | undefined;
	/** When the request to "Say <word>" came, in the same. */
	asked(word: string): number | undefined;
	/** Lets the answer to "Say <word>" begin, or go on. */
	release(word: string, gate: "first" | "rest"): void;
	close(): Promise<void>;
}

export async function startBenchServer(): Promise<BenchServer> {
	const complaints: string[] = [];
	const written = new Map<string, number>();
	const asked = new Map<string, number>();
	const gates = new Map<string, { opened: Promise<void>; open(): void }>();
	const gate = (name: string) => {
		const found = gates.get(name);
		if (found) return found;
		let open = (): void => undefined;
		const opened = new Promise<void>((resolve) => {
			open = resolve;
		});
		gates.set(name, { opened, open });
		return { opened, open };
	};

	function answer({ messages }: AskedRequest): ScriptedAnswer {
		const from = messages.findLastIndex(({ role, text }) => role === "user" && /(Turn|Say) \w+/.test(text));
		const [, act, word] = /(Turn|Say) (\w+)/.exec(messages[from]?.text ?? "") ?? [];
		if (act === undefined || word === undefined) return { text: "Nothing was asked." };
		if (act === "Say") {
			asked.set(word, Date.now());
			return said(word);
		}
		const results = messages.slice(from + 1).filter(({ role }) => role === "tool");
		return turned(Number(word), results);
	}

	function turned(turn: number, results: AskedMessage[]): ScriptedAnswer {
		const calls = callsOf(turn);
		const last = calls[results.length - 1];
		const result = results.at(-1)?.text ?? "";
		if (last && !last.expect.test(result)) complaints.push(`${last.name} ${JSON.stringify(last.input)} gave: ${result.slice(0, 200)}`);
		const next = calls[results.length];
		const usage = { input: 1_000, output: 100 };
		return next
			? { usage, calls: [{ name: next.name, input: next.input, id: `turn_${turn}_${results.length}` }] }
			: { usage, text: `finished${turn}.` };
	}

	/** Piece 0 is the head of the answer, piece 1 the first words. */
	function said(word: string): ScriptedAnswer {
		return {
			text: `${`first${word}`.padEnd(12)}and then some more words, until the answer is all there. last${word}.`,
			async pace(piece) {
				if (piece === 1) {
					await gate(`${word} first`).opened;
					written.set(word, Date.now());
				}
				if (piece === 2) await gate(`${word} rest`).opened;
			},
		};
	}

	const server = await startModelServer({ script: answer, models: ["scripted"] });
	return {
		url: server.url,
		complaints,
		bodies: () => server.requests.map(({ body }) => body),
		written: (word) => written.get(word),
		asked: (word) => asked.get(word),
		release: (word, name) => gate(`${word} ${name}`).open(),
		close: () => server.close(),
	};
}
