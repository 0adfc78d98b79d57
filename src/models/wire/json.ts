// Serializes request bodies, of which parts may be serialized already.

/** UTF-8 text that only grows; what was read of it stays the same. */
export class GrowingText {
	private bytes = Buffer.alloc(0);
	length = 0;

	add(text: string): void {
		const length = this.length + Buffer.byteLength(text);
		if (length > this.bytes.length) this.bytes = Buffer.concat([this.bytes], Math.ceil(length * SPARE));
		this.bytes.write(text, this.length);
		this.length = length;
	}

	read(from = 0, to = this.length): Uint8Array {
		return this.bytes.subarray(from, to);
	}
}

/** Most bytes for each one that is used. */
const SPARE = 1.25;

/** A value that is serialized already, in pieces. */
export class Serialized {
	readonly pieces: readonly (string | Uint8Array)[];

	constructor(...pieces: readonly (string | Uint8Array)[]) {
		this.pieces = pieces;
	}
}

/** Returns the same bytes as `JSON.stringify`, without the fields that are named. */
export function serializeBody(body: object, without: readonly string[] = []): Buffer {
	const fields = Object.entries(body).filter(([name, value]) => value !== undefined && !without.includes(name));
	const pieces = fields.flatMap(([name, value], at) => [
		`${at === 0 ? "{" : ","}${JSON.stringify(name)}:`,
		...(value instanceof Serialized ? value.pieces : [JSON.stringify(value)]),
	]);
	return Buffer.concat([...pieces, "}"].map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
}

/** Strict servers reject a request that contains a lone surrogate, which would block the rest of the session. */
export function toWellFormed<T>(value: T): T {
	if (isWellFormed(value)) return value;
	if (typeof value === "string") return value.toWellFormed() as T;
	if (Array.isArray(value)) return value.map(toWellFormed) as T;
	return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, toWellFormed(part)])) as T;
}

/** Checked first to avoid copying a long text. */
function isWellFormed(value: unknown): boolean {
	if (typeof value === "string") return value.isWellFormed();
	if (typeof value !== "object" || value === null || value instanceof Serialized) return true;
	for (const name in value) if (!isWellFormed((value as Record<string, unknown>)[name])) return false;
	return true;
}
