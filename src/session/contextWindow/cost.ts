// What an answer cost, at the prices its model had that day.
import type { Usage } from "../../core/events.ts";
import type { Price } from "../../core/ports/model.ts";

const MILLION = 1_000_000;

/** Usage with its cost in dollars. A cost that the provider told stays; without a price there is none. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
	if (usage.cost !== undefined || !price) return usage;
	const { input, output, cached = 0, written = 0 } = usage;
	const plain = Math.max(0, input - cached - written);
	const read = plain * price.input + cached * (price.cached ?? price.input) + written * (price.written ?? price.input);
	const times = price.long && input > price.long.over ? price.long : { input: 1, output: 1 };
	return { ...usage, cost: (read * times.input + output * price.output * times.output) / MILLION };
}
