// Cards and lines of the conversation: what they say before, while and after something happens.
import assert from "node:assert/strict";
import { showIn } from "./page.mjs";
import { call, event, model, result, snapshot, started, user } from "./told.mjs";

/** Three commands in one answer: the first is asked about, none has run. */
const several = () => [
	user("Clean up"),
	started("actor"),
	model({
		text: "",
		calls: [
			call("w1", "execute_command", { command: "npm test" }),
			call("w2", "execute_command", { command: "rm -rf dist" }),
			call("w3", "update_file", { path: "src/a.ts", old: "a", new: "b" }),
		],
	}),
	event("asked", { request: "rw", call: "w1", summary: "Run npm test", hash: "hash-w1", reason: "No rule allows it yet." }),
];

export const callsStates = { callsWaiting: { update: snapshot(several()) } };

export function cards(test, open) {
	const shown = async (events, options) => showIn(await open(options), snapshot(events));
	const sender = (page, events) => {
		let seq = events.at(-1).seq;
		return (...more) => page.sendAll(more.map((one) => ({ type: "event", event: { ...one, seq: ++seq, id: `x${seq}` } })));
	};

	test("calls that wait say so, folded and without a terminal, until the host says that they run", async () => {
		const events = several();
		const page = await shown(events);
		const { chat, send } = page;
		const then = sender(page, events);
		const group = chat.getByRole("group", { name: "Waiting to run rm -rf dist" });
		await group.waitFor();
		await chat.getByRole("group", { name: "Waiting to edit src/a.ts" }).waitFor();
		const quiet = async () => {
			assert.equal(await chat.getByText(/^Running/).count(), 0);
			assert.equal(await chat.locator(".calls .codicon-modifier-spin, .calls .spinner").count(), 0);
			assert.equal(await group.getByRole("button").getAttribute("aria-expanded"), "false");
			assert.equal(await chat.getByRole("button", { name: "Show Terminal" }).count(), 0);
		};
		await quiet();
		await then(
			event("answered", { request: "rw", hash: "hash-w1", answer: { allow: true } }, "person"),
			result("w1", "ok", { kind: "command", command: "npm test", cwd: ".", exitCode: 0, output: "o1", changed: [] }),
		);
		await chat.getByRole("group", { name: "Ran npm test" }).waitFor();
		await quiet();
		await group.getByRole("button").click();
		assert.equal(await chat.getByRole("button", { name: "Show Terminal" }).count(), 0);
		await send({ type: "live", event: { type: "progress", call: "w2", text: "" } });
		await chat.getByRole("group", { name: "Running rm -rf dist" }).getByRole("button", { name: "Show Terminal" }).waitFor();
		await chat.getByRole("group", { name: "Waiting to edit src/a.ts" }).waitFor();
	});

	test("a page that is opened while a command runs shows that it does, and what it has printed", async () => {
		const events = several().slice(0, 3);
		const { chat } = await showIn(await open(), { ...snapshot(events), printed: { w1: "12 passed\n" } });
		await chat.getByRole("group", { name: "Running npm test" }).getByText("12 passed").waitFor();
		await chat.getByRole("group", { name: "Waiting to run rm -rf dist" }).waitFor();
	});
}
