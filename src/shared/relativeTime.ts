// Formats elapsed time in the short form used in lists.
import { formatTimeAgo, t } from "./l10n.ts";

interface Unit {
	name: "minute" | "hour" | "day" | "week";
	/** Size in units of the previous entry. */
	size: number;
	short(amount: number): string;
}

const UNITS: readonly Unit[] = [
	{ name: "minute", size: 60, short: (amount) => t("{0} min", amount) },
	{ name: "hour", size: 60, short: (amount) => t("{0} h", amount) },
	{ name: "day", size: 24, short: (amount) => t("{0} d", amount) },
	{ name: "week", size: 7, short: (amount) => t("{0} w", amount) },
];

/** "2 h", as in VS Code's timeline; undefined for less than a minute. */
export function formatRelativeTime(at: string): string | undefined {
	const { amount, unit } = elapsedSince(at);
	return unit?.short(amount);
}

/** "2 hours ago", for screen readers. */
export function formatSpokenTime(at: string): string {
	const { amount, unit } = elapsedSince(at);
	return unit ? formatTimeAgo(amount, unit.name) : t("now");
}

/** The elapsed time in the largest unit with an amount of at least 1; without a unit for less than a minute. */
function elapsedSince(at: string): { amount: number; unit: Unit | undefined } {
	let remaining = Math.max(0, (Date.now() - Date.parse(at)) / 1_000);
	let largest: { amount: number; unit: Unit | undefined } = { amount: 0, unit: undefined };
	for (const unit of UNITS) {
		remaining /= unit.size;
		if (remaining < 1) break;
		largest = { amount: Math.floor(remaining), unit };
	}
	return largest;
}
