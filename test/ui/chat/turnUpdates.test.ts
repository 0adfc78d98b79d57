// Tests the work of the page for a turn's updates: counted, not timed.
import assert from "node:assert/strict";
import type { DisplayEvent, Update } from "../../../src/shared/protocol/chat.ts";
import { type ChatPage, openChat, showSnapshot } from "../browser.ts";
import { call, contextUsage, model, result, snapshot, started, user } from "../states/events.ts";

const FOLDED = 8;
/** Messages before the turn. */
const EARLIER = 10;

const read = (id: string): [DisplayEvent, DisplayEvent] => [
	model({ text: "", calls: [call(id, "read_file", { path: `src/file${id}.ts` })] }),
	result(id, "export const a = 1;", { kind: "text", figure: "1 line" }),
];

/** A turn with some calls in a folded group, and a function that gives the updates of its next call. */
async function openTurn(): Promise<{ page: ChatPage; nextCall(index: number): Update[] }> {
	const numbered: DisplayEvent[] = [];
	const number = (event: DisplayEvent): DisplayEvent => {
		const seq = (numbered.at(-1)?.seq ?? 0) + 1;
		numbered.push({ ...event, seq, id: `n${seq}` });
		return { ...event, seq, id: `n${seq}` };
	};
	const said = Array.from({ length: EARLIER }, (_, index) => user(`Message ${index}`));
	const calls = Array.from({ length: FOLDED }, (_, index) => read(`${index}`)).flat();
	const page = await showSnapshot(await openChat(), snapshot([...said, started("planner"), ...calls].map(number)));
	return {
		page,
		nextCall(index) {
			const [begun, over] = read(`${FOLDED + index}`).map((event): Update => ({ type: "event", event: number(event) }));
			return [begun, { type: "context", context: contextUsage({ used: 50_000 + index * 1_000 }) }, over] as Update[];
		},
	};
}

it("all that fails at the same time is announced", async () => {
	const { page, nextCall } = await openTurn();
	const updates = Array.from({ length: 7 }, (_, index) => nextCall(index)).flat();
	const failed = updates.map(
		(update): Update =>
			update.type === "event" && update.event.type === "result"
				? { ...update, event: { ...update.event, status: "error", output: "No such file" } }
				: update,
	);
	await page.sendTogether(failed);
	const said = await page.chat.getByRole("status").locator("p").allTextContents();
	assert.equal(said.filter((text) => text.startsWith("Failed: Read")).length, 7);
});
