// Formats elapsed time in the short form used in lists.
import { t } from "./l10n.ts";

const UNITS: readonly [(amount: number) => string, number][] = [
	[(amount) => t("{0} min", amount), 60],
	[(amount) => t("{0} h", amount), 60],
	[(amount) => t("{0} d", amount), 24],
	[(amount) => t("{0} w", amount), 7],
];

/** "2 h", as in VS Code's timeline; undefined for less than a minute. */
export function formatRelativeTime(at: string): string | undefined {
	let amount = Math.max(0, (Date.now() - Date.parse(at)) / 1_000);
	let shown: string | undefined;
	for (const [inWords, size] of UNITS) {
		amount /= size;
		if (amount < 1) break;
		shown = inWords(Math.floor(amount));
	}
	return shown;
}
