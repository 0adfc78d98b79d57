// Reads untrusted JSON: a value of another type counts as absent.
import { isRecord } from "../../core/isRecord.ts";

export type JsonFields = Readonly<Record<string, unknown>>;

export function toFields(value: unknown): JsonFields {
	return isRecord(value) ? value : {};
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
