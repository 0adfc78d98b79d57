export type Currency = "USD" | "EUR" | "GBP";

const symbols: Record<Currency, string> = { USD: "$", EUR: "€", GBP: "£" };

/** Writes an amount of cents for people: 129900 becomes "$1,299.00". */
export function formatPrice(cents: number, currency: Currency = "USD"): string {
	const sign = cents < 0 ? "-" : "";
	const absolute = Math.abs(Math.round(cents));
	const units = Math.floor(absolute / 100).toString().replace(/\B(?=(\d{3})+$)/g, ",");
	const rest = (absolute % 100).toString().padStart(2, "0");
	return `${sign}${symbols[currency]}${units}.${rest}`;
}

/** Reads what a person typed, with or without symbol and separators. The result is in cents. */
export function parsePrice(text: string): number {
	const digits = text.replace(/[$€£,\s]/g, "");
	if (!/^-?\d+(\.\d{1,2})?$/.test(digits)) throw new Error(`"${text}" is not a price`);
	return Math.round(Number(digits) * 100);
}

/** A share of an amount, rounded to the cent, halves up. */
export function percentOf(cents: number, percent: number): number {
	return Math.round((cents * percent) / 100);
}
