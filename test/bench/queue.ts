// Times how long a message typed to the main agent takes to be in its queue while it thinks.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { MAIN_AGENT } from "../../src/core/role.ts";
import type { Session } from "../../src/session/session.ts";
import type { TestApp } from "../fakes/testApp.ts";
import { checkEnd, withTestApp } from "./workload.ts";

const MESSAGES = 80;
/** Pieces of the thought, one every two milliseconds, for longer than the messages take. */
const THOUGHT = "It may be in the cart, or in the prices. ".repeat(4_000);

export interface QueueTimes {
	/** Milliseconds from sending a message to its event, which is on disk by then. */
	acknowledged: number[];
	/** Milliseconds of appending a line as long and syncing it. */
	synced: number[];
}

export async function measureQueue(sample: string): Promise<QueueTimes> {
	let isThinking = true;
	const pace = async () => {
		if (isThinking) await new Promise((resolve) => setTimeout(resolve, 2));
	};
	const script = () => (isThinking ? { text: THOUGHT, pace } : { text: "Nothing to say." });
	return withTestApp(sample, script, {}, async (app) => {
		const session = await app.sessions.get((await app.sessions.latest(MAIN_AGENT)).sessionId);
		const hasBegun = new Promise<void>((resolve) => {
			const listening = app.sessions.listen({
				live() {
					listening.dispose();
					resolve();
				},
			});
		});
		const turn = session.send("Think.");
		await hasBegun;
		const acknowledged: number[] = [];
		const sent: Promise<{ outcome: string }>[] = [];
		for (let index = 0; index < MESSAGES; index += 1) {
			const { end, took } = await timeMessage(app, session, `Message ${index}: is the discount rounded per line?`);
			sent.push(end);
			acknowledged.push(took);
		}
		if (!session.isRunning) throw new Error("The turn was over before the last message.");
		isThinking = false;
		for (const end of [turn, ...sent]) checkEnd(await end);
		return { acknowledged, synced: Array.from({ length: MESSAGES }, () => timeSync(app.storage)) };
	});
}

/** The message counts as acknowledged when the page would hear of it. */
async function timeMessage({ sessions }: TestApp, session: Session, text: string) {
	let acknowledge = (_: number) => {};
	const acknowledged = new Promise<number>((resolve) => {
		acknowledge = resolve;
	});
	const listening = sessions.listen({
		event: (_, event) => event.type === "queued" && event.text === text && acknowledge(performance.now()),
	});
	const began = performance.now();
	const end = session.send(text);
	const took = (await acknowledged) - began;
	listening.dispose();
	return { end, took };
}

function timeSync(folder: string): number {
	const file = openSync(join(folder, "synced"), "a");
	const began = performance.now();
	writeSync(file, `${"x".repeat(200)}\n`);
	fsyncSync(file);
	const took = performance.now() - began;
	closeSync(file);
	return took;
}
