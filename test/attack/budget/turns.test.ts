// Tests the same command lines in whole turns: the editor is not blocked.

// The role and the agent's lists answer first.
import assert from "node:assert/strict";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { holdOf, scaled } from "./hold.ts";
import { type Input, inputs, searched } from "./inputs.ts";

/** Milliseconds. */
const LONGEST_HOLD = 50;

const TIMEOUT = 30_000;

const long = inputs().filter(({ text }) => text.length >= 1_000_000);
const nasty = [...searched(7, 20, 3_900), ...searched(8, 20, 20_000)];

describe("a turn", function () {
	this.timeout(300_000);
	let app: TestApp | undefined;
	afterEach(() => app?.close());

	/** How long the loop was held while the calls of one turn were decided and shown, and what became of them. */
	async function turn(role: string, { name, text }: Input): Promise<{ held: number; statuses: string[]; asked: number }> {
		const model = scriptedModel((request) =>
			request.events.at(-1)?.type === "result" ? { text: "Done." } : { calls: [{ name: "execute_command", input: { command: text } }] },
		);
		let ahead = 0;
		app = await openTestApp({ model, now: () => new Date(Date.now() + ahead) });
		const { sessionId } = await app.sessions.create({ role });
		const session = await app.sessions.get(sessionId);
		let asked = 0;
		const listening = app.sessions.listen({
			event(_, event) {
				if (event.type !== "asked") return;
				asked += 1;
				// An answer at once is not taken.
				ahead += 1_000;
				void session.answer(event.request, { allow: false }, "person", event.hash);
			},
		});
		const { held, unit } = await holdOf(() => withinTimeout(session.send("Go."), name));
		listening.dispose();
		const statuses = [...session.state.calls.values()].map(({ result }) => result?.status ?? "none");
		await app.close();
		app = undefined;
		return { held: scaled(held, unit), statuses, asked };
	}

	async function worst(role: string, list: readonly Input[]): Promise<string[]> {
		const found: string[] = [];
		await turn(role, { name: "the parser is loaded", text: "ls" });
		for (const input of list) {
			let best = Number.POSITIVE_INFINITY;
			for (let attempt = 0; attempt < 3 && best > LONGEST_HOLD; attempt++) best = Math.min(best, (await turn(role, input)).held);
			if (best > LONGEST_HOLD) found.push(`${input.name}: ${Math.round(best)} ms`);
		}
		return found;
	}

	for (const role of ["planner", "actor"])
		it(`of a ${role} does not hold the editor, whatever line the model sends`, async () => {
			assert.deepEqual(await worst(role, [...long.slice(0, 12), ...nasty]), []);
		});

	it("of a planner asks nothing and runs nothing, however long the line is", async () => {
		for (const input of [...long.slice(0, 3), ...nasty.slice(0, 3)]) {
			const { statuses, asked } = await turn("planner", input);
			assert.equal(asked, 0, input.name);
			assert.deepEqual([...new Set(statuses)], ["denied"], input.name);
		}
	});
});

/** A turn that never ends says by which line. */
async function withinTimeout(turn: Promise<unknown>, name: string): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`${name} has not ended after ${TIMEOUT} ms.`)), TIMEOUT);
	});
	await Promise.race([turn, late]).finally(() => clearTimeout(timer));
}
