// Localizes text and numbers for the user, with the English sentence as the key.

// Text for models stays English.
export { config, t } from "@vscode/l10n";

let language = "en";

/** Sets the editor's language tag; falls back to English if Intl does not support it. */
export function setLanguage(tag: string): void {
	try {
		language = Intl.getCanonicalLocales(tag)[0] ?? "en";
	} catch {
		language = "en";
	}
}

/** Intl's formats take a tenth of a millisecond to make, and there are few different ones. */
function rememberFormats<Options, Format>(create: (tag: string, options: Options) => Format): (options: Options) => Format {
	const made = new Map<string, Format>();
	return (options) => {
		const key = JSON.stringify([language, options]);
		const format = made.get(key) ?? create(language, options);
		made.set(key, format);
		return format;
	};
}

const numberFormat = rememberFormats((tag, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(tag, options));
const listFormat = rememberFormats((tag, options: Intl.ListFormatOptions) => new Intl.ListFormat(tag, options));
const timeAgoFormat = rememberFormats((tag, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(tag, options));

/** 1,234 */
export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
	return numberFormat(options).format(value);
}

/** 41%, for a share of 0.41. */
export function formatPercent(share: number): string {
	return formatNumber(share, { style: "percent" });
}

/** $1.50 */
export function formatDollars(amount: number, digits = 2): string {
	const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
	return formatNumber(amount, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", ...fraction });
}

/** "Jan 15, 14:07", including the year unless it is the current one. */
export function formatShortDateTime(at: string, now = new Date()): string {
	const date = new Date(at);
	const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: "numeric" } as const);
	const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
	return date.toLocaleString(language, { day: "numeric", month: "short", ...year, ...time });
}

export function formatDateTime(at: string): string {
	return new Date(at).toLocaleString(language);
}

/** "a, b, c" */
export function formatList(parts: readonly string[]): string {
	return listFormat({ type: "conjunction", style: "narrow" }).format(parts);
}

/** "2 hours ago" */
export function formatTimeAgo(amount: number, unit: Intl.RelativeTimeFormatUnit): string {
	return timeAgoFormat({}).format(-amount, unit);
}
