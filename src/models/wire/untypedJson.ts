// Reading JSON of a stranger: what is not of the expected kind counts as absent.

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** A number of something: not negative, not endless. */
export function countOf(value: unknown): number | undefined {
	return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Undefined where it is not JSON. */
export function parsedJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
