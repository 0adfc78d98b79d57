// Token usage and cost of answers, and their totals.

/** Tokens as the provider counted them. */
export interface Usage {
	input: number;
	output: number;
	/** Part of `input` that was read from the provider's prompt cache. */
	cached?: number;
	/** Part of `input` that was written to it. */
	written?: number;
	/** US dollars at the prices of that day; absent if unknown. */
	cost?: number;
}

/** Tokens and dollars summed over several answers. */
export interface UsageTotals {
	input: number;
	output: number;
	cached: number;
	/** US dollars for answers with a known price. */
	cost: number;
	/** Number of answers with no known price. */
	unpriced: number;
}

/** Tokens that count toward a budget: cached input counts one tenth. */
export function countTokens({ input, output, cached = 0 }: Usage): number {
	return Math.max(0, input - cached) + cached / 10 + output;
}

export function createUsageTotals(): UsageTotals {
	return { input: 0, output: 0, cached: 0, cost: 0, unpriced: 0 };
}

export function addUsage(totals: UsageTotals, usage: Usage): void {
	totals.input += usage.input;
	totals.output += usage.output;
	totals.cached += usage.cached ?? 0;
	totals.cost += usage.cost ?? 0;
	if (usage.cost === undefined) totals.unpriced += 1;
}

export function addTotals(totals: UsageTotals, more: UsageTotals): void {
	totals.input += more.input;
	totals.output += more.output;
	totals.cached += more.cached;
	totals.cost += more.cost;
	totals.unpriced += more.unpriced;
}
