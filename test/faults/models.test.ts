// Tests the full matrix of failing model servers in a real session.

// Every fault at every point of an answer, in every wire format. `npm run faults:models`
import assert from "node:assert/strict";
import { CELLS, type Cell, runCell, type Verdict } from "./models/cell.ts";

/** Cells that run side by side: most of them wait for a socket or the disk. */
const LANES = 6;

describe("a model server that fails", function () {
	this.timeout(300_000);

	const verdicts = new Map<Cell, Promise<Verdict>>();
	/** Cells run ahead of the tests that name them, in their order. */
	before(() => {
		const free = Array.from({ length: LANES }, () => Promise.resolve() as Promise<unknown>);
		for (const [index, cell] of CELLS.entries()) {
			const verdict = (free[index % LANES] as Promise<unknown>).then(() => runCell(cell));
			verdicts.set(cell, verdict);
			free[index % LANES] = verdict.catch(() => undefined);
		}
	});

	for (const cell of CELLS)
		it(`the fault ${cell.kind.name} at ${cell.place} (${cell.format}) loses no word and runs no call twice`, async () => {
			const verdict = await verdicts.get(cell);
			assert.deepEqual(verdict?.wrong, [], JSON.stringify(verdict));
		});
});
