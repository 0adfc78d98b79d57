// Limits the memory for a server's response body, or for one event of a stream.
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";

/** Bytes. */
export const BODY_LIMIT = 8 * 1024 * 1024;

export function limitBody(response: Response, limit = BODY_LIMIT): Response {
	if (!response.body) return response;
	const streams = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
	let held = 0;
	let last = 0;
	const counting = new TransformStream<Uint8Array, Uint8Array>({
		transform(chunk, controller) {
			// A blank line ends an event.
			if (streams) [held, last] = sinceEmptyLine(chunk, held, last);
			else held += chunk.length;
			if (held > limit) return controller.error(new UserError(t("The server sent more than {0} bytes at once.", limit)));
			controller.enqueue(chunk);
		},
	});
	const { status, statusText, headers, url } = response;
	const same = new Response(response.body.pipeThrough(counting), { status, statusText, headers });
	return Object.defineProperty(same, "url", { value: url });
}

function sinceEmptyLine(chunk: Uint8Array, held: number, last: number): [number, number] {
	let [size, before] = [held, last];
	for (const byte of chunk) {
		if (byte === CARRIAGE) continue;
		size = byte === LINE && before === LINE ? 0 : size + 1;
		before = byte;
	}
	return [size, before];
}

const [LINE, CARRIAGE] = [0x0a, 0x0d];
