// The process that is killed: a real conversation over real storage, telling on stdout what its UI was shown.
import { writeSync } from "node:fs";
import { scriptedModel } from "../fakes/scriptedModel.ts";
import { openTestApp } from "../fakes/testApp.ts";

const [home, mode] = process.argv.slice(2);
if (!home) throw new Error("worker.ts needs the home it works in");

/** One line for each event that a UI would have drawn: session, seq and id. Written at once, so that a kill cannot take it back. */
function acknowledge(line: object): void {
	writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Reads, writes, long output: about 200 events a session if it lives long enough. */
const model = scriptedModel((request, call) => {
	if (request.events.at(-1)?.type === "user") return { text: `Turn ${call}.`, calls: [{ name: "list_directory", input: { path: "." } }] };
	if (call % 10 === 9) return { text: `${"All of it is kept. ".repeat(40)}${call}` };
	return {
		calls: [
			{ name: "read_file", input: { path: "README.md", start: 1 + (call % 7) } },
			{ name: "create_file", input: { path: `made/${process.pid}-${call}.txt`, content: `file ${call}\n`.repeat(call % 50) } },
		],
	};
});

const app = await openTestApp({ model, home, files: { "README.md": "line\n".repeat(40) }, settings: { approval: "edits" } });
app.sessions.listen({ event: (session, event) => acknowledge({ session, seq: event.seq, id: event.id }) });
const before = Date.now();
// As the engine does at its start: what interrupted writes have left behind goes.
await app.store.recover();
const [newest] = await app.sessions.list();
const summary = newest ?? (await app.sessions.create({ role: "actor" }));
const session = await app.sessions.get(summary.sessionId);
acknowledge({ opened: summary.sessionId, seq: session.state.seq, ids: session.state.events.map((event) => event.id) });
if (mode === "check") {
	const orphans = [...session.state.calls.values()].filter((entry) => !entry.result).map((entry) => entry.call.id);
	const seqs = session.state.events.map((event) => event.seq);
	await session.note("checked");
	acknowledge({
		orphans,
		inOrder: seqs.every((seq, index) => seq === index + 1),
		damaged: session.damaged,
		firstWrite: Date.now() - before,
	});
	await app.sessions.close();
	await app.store.close();
	process.exit(0);
}
for (;;) await session.send("Go on");
