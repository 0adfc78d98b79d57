// Tests a sample of the fault matrix: every fault before an answer, the worst also in mid-answer.

// Each fault before an answer runs in one format, those in mid-answer in all three. `npm run faults:models` runs the
// whole matrix.
import assert from "node:assert/strict";
import { CELLS, type Cell, FORMATS, runCell } from "../../faults/models/cell.ts";
import { FAULTS } from "../../faults/models/faults.ts";

const formats = Object.keys(FORMATS);
const IN_THE_MIDDLE = new Set(["ECONNRESET", "200 + error event", "closed early", "idle"]);

/** Format by format in turn, so that each is asked for every third fault. */
function isTaken({ kind, place, format }: Cell): boolean {
	if (place !== "first byte") return IN_THE_MIDDLE.has(kind.name);
	return formats.indexOf(format) === FAULTS.indexOf(kind) % formats.length;
}

describe("a model server that fails", () => {
	for (const kind of FAULTS) {
		it(`with ${kind.name} shows no word twice, runs no call twice, and is asked again only where that is right`, async () => {
			const cells = CELLS.filter((cell) => cell.kind === kind && isTaken(cell));
			assert.ok(cells.length > 0);
			await Promise.all(
				cells.map(async (cell) => {
					const { wrong } = await runCell(cell);
					assert.deepEqual(wrong, [], `${cell.place}, ${cell.format}`);
				}),
			);
		});
	}
});
