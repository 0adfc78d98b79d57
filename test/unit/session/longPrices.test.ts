// Tests the cost of requests whose long prompt has a higher price.
import assert from "node:assert/strict";
import { withCost } from "../../../src/core/ports/model.ts";
import { findModelSpecs } from "../../../src/models/selection/modelTable.ts";

describe("the price of a long prompt", () => {
	const price = findModelSpecs("openai", "gpt-5.5")?.price;
	const costOf = (input: number, cached: number) => withCost({ input, output: 10_000, cached }, price).cost ?? 0;

	it("counts from the first token beyond the step, for the whole request, cached input too", () => {
		assert.deepEqual(price, { input: 5, output: 30, cached: 0.5, long: { over: 272_000, input: 2, output: 1.5 } });
		assert.equal(costOf(272_000, 72_000).toFixed(4), (1 + 0.036 + 0.3).toFixed(4));
		assert.equal(costOf(272_001, 72_001).toFixed(4), (2 + 0.072 + 0.45).toFixed(4));
	});
});
