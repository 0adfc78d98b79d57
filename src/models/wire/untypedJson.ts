// Reads untrusted JSON: a value of another type counts as absent.

export type JsonFields = Readonly<Record<string, unknown>>;

export function toFields(value: unknown): JsonFields {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};
}

export function toList(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

export function toText(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** A count: finite and not negative. */
export function toCount(value: unknown): number | undefined {
	return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Undefined where it is not JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
