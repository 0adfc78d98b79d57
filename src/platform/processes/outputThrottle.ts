// Output on its way to the eye: decoded, gathered, and never more at once than somebody could see.
import { StringDecoder } from "node:string_decoder";

export interface OutputThrottle {
	push(chunk: Buffer): void;
	/** Hands over what is still gathered. */
	end(): void;
}

/** The first chunk goes out at once, the next ones ten times a second; of a flood only the newest part. */
export function createOutputThrottle(show: (text: string) => void): OutputThrottle {
	let decoder = new StringDecoder("utf8");
	let gathered: Buffer[] = [];
	let bytes = 0;
	let dropped = 0;
	let timer: NodeJS.Timeout | undefined;

	function flush(): void {
		timer = undefined;
		if (bytes === 0) return;
		const lost = dropped > 0 ? `\n[… ${dropped} bytes not shown …]\n` : "";
		if (dropped > 0) decoder = new StringDecoder("utf8");
		const text = decoder.write(Buffer.concat(gathered));
		[gathered, bytes, dropped] = [[], 0, 0];
		show(lost + (lost ? text.replace(/^\uFFFD{1,3}/, "") : text));
		timer = setTimeout(flush, PAUSE);
	}

	return {
		push(chunk) {
			gathered.push(chunk);
			bytes += chunk.length;
			while (bytes > AT_ONCE && gathered.length > 1) {
				const oldest = gathered.shift()?.length ?? 0;
				bytes -= oldest;
				dropped += oldest;
			}
			if (!timer) flush();
		},
		end() {
			clearTimeout(timer);
			flush();
			clearTimeout(timer);
			const rest = decoder.end();
			if (rest) show(rest);
		},
	};
}

/** Milliseconds between two flushes. */
const PAUSE = 100;
const AT_ONCE = 64 * 1024;
