// Takes texts out of a stream of bytes that must not be seen in it, wherever its chunks are cut.

const HIDDEN = Buffer.from("[hidden]");

/** Holds back the end of a chunk only while it may be the beginning of such a text. */
export async function* redactStream(chunks: AsyncIterable<unknown>, secrets: readonly string[]): AsyncGenerator<Buffer> {
	const hidden = secrets.filter((secret) => secret !== "").map((secret) => Buffer.from(secret));
	let rest: Buffer = Buffer.alloc(0);
	for await (const chunk of chunks) {
		if (hidden.length === 0) {
			yield chunk as Buffer;
			continue;
		}
		const bytes = replaced(Buffer.concat([rest, chunk as Buffer]), hidden);
		const held = Math.max(...hidden.map((secret) => beginning(bytes, secret)));
		rest = bytes.subarray(bytes.length - held);
		if (bytes.length > held) yield bytes.subarray(0, bytes.length - held);
	}
	if (rest.length > 0) yield rest;
}

function replaced(bytes: Buffer, secrets: readonly Buffer[]): Buffer {
	let text = bytes;
	for (const secret of secrets) {
		for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + HIDDEN.length)) {
			text = Buffer.concat([text.subarray(0, at), HIDDEN, text.subarray(at + secret.length)]);
		}
	}
	return text;
}

/** How many of the last bytes are the beginning of the secret. */
function beginning(bytes: Buffer, secret: Buffer): number {
	for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length -= 1) {
		if (bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) return length;
	}
	return 0;
}
