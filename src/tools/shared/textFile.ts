// Text with the encoding it came in, so that it goes back the same way, byte for byte.

export type Encoding = "UTF-8" | "UTF-8 with BOM" | "UTF-16 LE" | "UTF-16 BE";

export interface TextFile {
	/** Without the byte order mark; line ends as they are. */
	text: string;
	encoding: Encoding;
}

interface Codec {
	label: string;
	mark: readonly number[];
	encode(text: string): Uint8Array;
}

const codecs: Record<Encoding, Codec> = {
	"UTF-8": { label: "utf-8", mark: [], encode: (text) => Buffer.from(text, "utf8") },
	"UTF-8 with BOM": { label: "utf-8", mark: [0xef, 0xbb, 0xbf], encode: (text) => Buffer.from(text, "utf8") },
	"UTF-16 LE": { label: "utf-16le", mark: [0xff, 0xfe], encode: (text) => Buffer.from(text, "utf16le") },
	"UTF-16 BE": { label: "utf-16be", mark: [0xfe, 0xff], encode: (text) => Buffer.from(text, "utf16le").swap16() },
};

/** How far a NUL byte is looked for: what editors do, too. */
const PROBE = 8_192;

/** By the byte order mark; without one it can only be UTF-8. */
export function encodingOf(bytes: Uint8Array): Encoding {
	const marked = (["UTF-8 with BOM", "UTF-16 LE", "UTF-16 BE"] as const).find((encoding) =>
		codecs[encoding].mark.every((byte, index) => bytes[index] === byte),
	);
	return marked ?? "UTF-8";
}

export function byteOrderMarkLength(encoding: Encoding): number {
	return codecs[encoding].mark.length;
}

/** Not text that any tool here can show. */
export function isBinary(bytes: Uint8Array): boolean {
	const encoding = encodingOf(bytes);
	if (encoding === "UTF-16 LE") return bytes[2] === 0 && bytes[3] === 0;
	return encoding !== "UTF-16 BE" && bytes.subarray(0, PROBE).includes(0);
}

/** Undefined when the bytes are not wholly text in one of the four encodings: writing it back would change bytes. */
export function decodeText(bytes: Uint8Array): TextFile | undefined {
	if (isBinary(bytes)) return undefined;
	const encoding = encodingOf(bytes);
	try {
		const decoder = new TextDecoder(codecs[encoding].label, { fatal: true, ignoreBOM: true });
		return { text: decoder.decode(bytes.subarray(byteOrderMarkLength(encoding))), encoding };
	} catch {
		return undefined;
	}
}

/** A decoder for a file that is read piece by piece; what it cannot decode becomes U+FFFD. */
export function lenientDecoder(encoding: Encoding): TextDecoder {
	return new TextDecoder(codecs[encoding].label, { ignoreBOM: true });
}

export function encodeText({ text, encoding }: TextFile): Uint8Array {
	const { mark, encode } = codecs[encoding];
	return mark.length === 0 ? encode(text) : Buffer.concat([Uint8Array.from(mark), encode(text)]);
}

/** Half of a surrogate pair: it has no bytes, so it cannot be written. */
export function isWellFormedText(text: string): boolean {
	return !/\p{Surrogate}/u.test(text);
}
