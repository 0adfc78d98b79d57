// Formats tokens, costs and durations in short forms.
import type { UsageTotals } from "../../src/core/events.ts";
import { formatDollars, formatNumber, t } from "../../src/shared/l10n.ts";

/** 950, 4.1k, 1.2M. */
export function formatTokens(tokens: number): string {
	const [times, sign] = tokens < 1_000 ? [1, ""] : tokens < 999_950 ? [1_000, "k"] : [1_000_000, "M"];
	return formatNumber(tokens / times, { maximumFractionDigits: times === 1 ? 0 : 1 }) + sign;
}

/** "At least" if some calls had no price; "unknown" if none had one. */
export function formatCost({ cost, unpriced }: UsageTotals, digits = 2): string {
	if (unpriced > 0 && cost === 0) return t("unknown");
	const least = 10 ** -digits;
	const amount = cost > 0 && cost < least ? `<${formatDollars(least, digits)}` : formatDollars(cost, digits);
	return unpriced > 0 ? t("at least {0}", amount) : amount;
}

/** "0.4 s", "12 s", "3 min 5 s". */
export function formatDuration(milliseconds: number): string {
	const exact = Math.max(0, milliseconds) / 1_000;
	const seconds = Math.round(exact);
	if (seconds < 10) return t("{0} s", formatNumber(exact, { maximumFractionDigits: 1 }));
	return seconds < 60 ? t("{0} s", seconds) : t("{0} min {1} s", Math.floor(seconds / 60), seconds % 60);
}
