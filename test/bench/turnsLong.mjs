// Measures the turns of turns.mjs in a session with 2,000 earlier messages against an empty one.
import { appendFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { subjects, textbox, viewIcon } from "./editor.mjs";
import { median } from "./figures.mjs";
import { untilQuiet } from "./processes.mjs";
import { bundleScript, openChat } from "./turns.mjs";

const MESSAGES = 2_000;
const names = ["long", "short"];

export async function measureTurnsLong(bench) {
	const { scratch, say, rounds: turns = 9 } = bench;
	const script = await bundleScript(scratch);
	const server = await script.startBenchServer();
	const chats = {};
	const spent = { long: [], short: [] };
	try {
		for (const name of names) {
			const before = name === "long" ? (editor, window) => withHistory(editor, window, server) : undefined;
			chats[name] = await openChat("troupe", { ...bench, server, script, before });
		}
		for (let turn = 0; turn < turns + 2; turn += 1)
			for (const name of names) {
				const milliseconds = (await chats[name].turn(turn)) / script.callsInTurn;
				if (server.complaints.length > 0) throw new Error(`The turn went wrong in the ${name} session: ${server.complaints[0]}`);
				if (turn >= 2) spent[name].push(milliseconds);
				say(`turn ${turn - 1}/${turns} ${name} ${milliseconds.toFixed(1)} ms a call`);
			}
	} finally {
		await Promise.all(Object.values(chats).map((chat) => chat.close()));
		await server.close();
	}
	return [
		{
			name: "per call with 2,000 messages behind it, beside none",
			unit: "ms",
			value: median(spent.long),
			floor: median(spent.short),
			reach: { ratio: 1.1 },
			details: { samples: spent },
		},
	];
}

/** One message is sent, and its turn is then written into the transcript again and again. */
async function withHistory(editor, window, server) {
	const { page } = window;
	await viewIcon(page, subjects.troupe).click();
	const box = textbox(page, subjects.troupe);
	await box.waitFor({ timeout: 60_000 });
	for (const gate of ["first", "rest"]) server.release("history", gate);
	await box.fill("Say history");
	await box.press("Enter");
	const chat = box.page().frameLocator(`iframe.webview[src*="extensionId=troupe.troupe"]`).frameLocator("#active-frame");
	await chat.getByText("lasthistory.").first().waitFor({ timeout: 60_000 });
	await untilQuiet(window.host);
	return editor.reopen(window, async () => {
		const transcript = await transcriptIn(editor.userDataDir);
		const events = (await readFile(transcript, "utf8"))
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		const turn = events.slice(events.findIndex(({ type }) => type === "user"));
		let { seq } = events.at(-1);
		const lines = [];
		for (let message = 0; message < MESSAGES; message += 2)
			for (const event of turn) {
				seq += 1;
				const own = { id: `${event.id}-${message}`, seq, turn: `${event.turn}-${message}` };
				lines.push(`${JSON.stringify({ ...event, ...own })}\n`);
			}
		await appendFile(transcript, lines.join(""));
	});
}

async function transcriptIn(folder) {
	const found = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith("current.jsonl"));
	if (found.length !== 1) throw new Error(`${found.length} transcripts were found where one was expected.`);
	return join(folder, found[0]);
}
