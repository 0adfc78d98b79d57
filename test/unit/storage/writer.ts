// Writes to a store and reports acknowledgments on stdout, in a process that tests kill, starve or race.
import { writeSync } from "node:fs";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { createSessionStore } from "../../../src/storage/sessions/sessionStore.ts";

interface Orders {
	root: string;
	sessionId: string;
	/** Begins the ids of its events. */
	name: string;
	count: number;
	/** The number of its first event. */
	first: number;
	own?: boolean;
	/** Waits for a line on stdin before it begins. */
	wait?: boolean;
	/** Characters of each text. */
	size?: number;
}

const orders = JSON.parse(process.argv[2] as string) as Orders;
const say = (line: string) => writeSync(1, `${line}\n`);
// Else the limit on the size of a file ends the process instead of failing the write.
process.on("SIGXFSZ", () => undefined);
process.on("uncaughtException", (error) => say(`uncaught ${String(error)}`));

const store = createSessionStore({ root: orders.root, index: { get: () => undefined, set: async () => undefined } });
const healthy = new Promise<void>((resolve) => store.onHealth(({ ok }) => (ok ? resolve() : undefined)));

if (orders.wait) {
	say("ready");
	await new Promise((resolve) => process.stdin.once("data", resolve));
}
if (orders.own) say(`own ${await store.own(orders.sessionId)}`);
let refused = 0;
for (let index = 0; index < orders.count; index++) {
	const seq = orders.first + index;
	const at = new Date(Date.UTC(2025, 0, 3) + seq).toISOString();
	const text = `${orders.name} ${seq} `.padEnd(orders.size ?? 0, "x");
	const event = { id: `${orders.name}-${seq}`, seq, at, by: "person", type: "user", text } satisfies TranscriptEvent;
	try {
		await store.append(orders.sessionId, event);
		say(`ack ${event.id}`);
	} catch (error) {
		refused += 1;
		const { code, message } = error as { code: string; message: string };
		say(`refused ${event.id} ${code} ${message}`);
	}
}
say(`pending ${store.pendingWrites(orders.sessionId)}`);
if (refused > 0) {
	// Keeps the process alive: the store's own timer does not.
	const alive = setInterval(() => undefined, 1_000);
	await healthy;
	clearInterval(alive);
	say(`healthy ${store.pendingWrites(orders.sessionId)}`);
}
say("done");
process.stdin.destroy();
