// Reads VS Code's logs after a failed test: ours, the extension host's, and the errors of ours in them.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Our log and those of the extension hosts below this folder, with what was written since then (milliseconds). */
export async function readLogs(folder, since = 0) {
	const names = (await readdir(folder, { recursive: true }).catch(() => [])).filter((name) => /(Troupe|remoteexthost)\.log$/.test(name));
	const logs = await Promise.all(
		names.map(async (name) => {
			const entries = splitEntries(await readFile(join(folder, name), "utf8")).filter(({ at }) => at >= since);
			return { name: name.replaceAll(/[\\/]/g, "-"), entries: entries.map(({ text }) => text) };
		}),
	);
	return logs.filter(({ entries }) => entries.length > 0);
}

/** Every error in our own log, and those of the extension host in which our code is named. */
export function findOurErrors(logs) {
	return logs.flatMap(({ name, entries }) =>
		entries.filter((entry) => / \[error\] /.test(entry) && (/Troupe\.log$/.test(name) || /troupe\.troupe/.test(entry))),
	);
}

/** An entry begins with its local time; lines without one belong to the entry before. */
function splitEntries(text) {
	const entries = [];
	for (const line of text.split("\n")) {
		const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})/.exec(line) ?? [];
		const last = entries.at(-1);
		if (day !== undefined) entries.push({ at: new Date(`${day}T${time}`).getTime(), text: line });
		else if (last && line !== "") last.text += `\n${line}`;
	}
	return entries;
}
