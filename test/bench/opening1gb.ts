// Opens the session "big" of a storage and prints what that took.
import { createSessionStore } from "../../src/storage/sessions/sessionStore.ts";

const store = createSessionStore({ root: process.argv[2] ?? "", index: { get: () => undefined, set: async () => undefined } });
const megabytes = () => process.memoryUsage().rss / 1_000_000;

const before = megabytes();
let began = performance.now();
let told = 0;
const { state } = await store.load("big", () => {
	told += 1;
});
const open = performance.now() - began;
const memory = megabytes() - before;
began = performance.now();
await store.page("big", (state.before?.seq ?? 0) + 1);
const page = performance.now() - began;
process.stdout.write(JSON.stringify({ open, memory, page, told, events: state.events.length, of: state.seq }));
process.exit();
