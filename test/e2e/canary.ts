// A server that nobody should ever call: it remembers who did.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Canary {
	url: string;
	/** "GET /v1/models", one for each request. */
	calls: string[];
	close(): Promise<void>;
}

export async function startCanary(): Promise<Canary> {
	const calls: string[] = [];
	const server = createServer((request, response) => {
		calls.push(`${request.method} ${request.url}`);
		response.end("{}");
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		calls,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}
