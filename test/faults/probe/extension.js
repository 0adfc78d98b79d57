// Writes down every event that the exported API tells of, at once, so that a kill cannot take it back; and first what
// each session held when this extension host opened it. One JSON object a line, in the file that FAULTS_HEARD names.
const { openSync, writeSync } = require("node:fs");
const { extensions } = require("vscode");

exports.activate = async () => {
	const file = openSync(process.env["FAULTS_HEARD"], "a");
	const write = (line) => writeSync(file, `${JSON.stringify(line)}\n`);
	const api = await extensions.getExtension("troupe.troupe").activate();
	api.onEvent(({ sessionId, event }) => write({ sessionId, seq: event.seq, id: event.id }));
	const opened = {};
	for (const { sessionId } of await api.sessions()) opened[sessionId] = (await api.transcript(sessionId)).map(({ id }) => id);
	write({ host: process.pid, opened });
};
