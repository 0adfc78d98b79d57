// Test fixture: a web server that an attack must not reach, and everything that reaches it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Listener {
	url: string;
	/** Path, headers and body of each request, from its first byte on. */
	reached: string[];
	close(): Promise<void>;
}

export async function startListener(): Promise<Listener> {
	const reached: string[] = [];
	const server = createServer((request, response) => {
		const index = reached.push(`${request.url} ${JSON.stringify(request.headers)} `) - 1;
		request.on("data", (part: Buffer) => {
			reached[index] += part.toString();
		});
		request.on("end", () => response.end("here"));
	});
	await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		reached,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
