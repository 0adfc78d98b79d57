// Runs in the jail: asks the gate in a worker thread and measures how long its event loop blocks.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Input } from "./inputs.ts";

export interface HeldJob {
	root: string;
	parser: string;
	/** Lays the files of this world first. */
	world: "plain" | "many files" | "rings" | "fifo";
	inputs: readonly Input[];
	/** Milliseconds after which an input is given up. */
	timeout: number;
}

export interface Held {
	name: string;
	/** Milliseconds the loop stood still at most, the best of three; as on a quiet machine. */
	held: number;
	/** Milliseconds from question to answer, likewise. */
	took: number;
	decisions: Readonly<Record<string, string>>;
}

const TRIES = 3;
/** Milliseconds that may pass before a second try is worth it. */
const FINE = 50;

export async function measureHeld({ root, parser, world, inputs, timeout }: HeldJob): Promise<Held[]> {
	let thread: Worker | undefined;
	const start = async (): Promise<Worker> => {
		const started = new Worker(fileURLToPath(import.meta.url), { workerData: { thread: "held", root, parser, world } });
		await once(started, "message");
		return started;
	};
	const found: Held[] = [];
	for (const input of inputs) {
		let best: Held | undefined;
		for (let attempt = 0; attempt < TRIES && (best === undefined || best.held > FINE); attempt++) {
			thread ??= await start();
			const answer = await answered(thread, input, timeout);
			if (answer === undefined) {
				await thread.terminate();
				thread = undefined;
				best = { name: input.name, held: timeout, took: timeout, decisions: { actor: "none" } };
				break;
			}
			if (!best || answer.held < best.held) best = answer;
		}
		if (best) found.push(best);
	}
	await thread?.terminate();
	return found;
}

async function answered(thread: Worker, input: Input, timeout: number): Promise<Held | undefined> {
	const ended = new AbortController();
	const timer = setTimeout(() => ended.abort(), timeout);
	try {
		thread.postMessage(input);
		const [answer] = await once(thread, "message", { signal: ended.signal });
		return answer as Held;
	} catch {
		return undefined;
	} finally {
		clearTimeout(timer);
	}
}
