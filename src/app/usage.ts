// What an answer cost, at the prices its model had that day.
import type { Usage } from "../core/events.ts";
import type { Price } from "../core/model.ts";

const MILLION = 1_000_000;

/** Usage with its cost in dollars. A cost that the provider told stays; without a price there is none. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
	if (usage.cost !== undefined || !price) return usage;
	const { input, output, cached = 0, written = 0 } = usage;
	const plain = Math.max(0, input - cached - written);
	const dollars =
		plain * price.input + cached * (price.cached ?? price.input) + written * (price.written ?? price.input) + output * price.output;
	return { ...usage, cost: dollars / MILLION };
}
