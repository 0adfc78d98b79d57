// Reads untrusted JSON; values of an unexpected type are treated as absent.
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

/** A finite, non-negative number. */
export function toCount(value: unknown): number | undefined {
	return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Returns undefined if it is not JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
