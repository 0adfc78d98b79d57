// Fake model servers for one test, closed after it.
import type { Script } from "../../fakes/modelServer/script.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../../fakes/modelServer/server.ts";

/** Stands in no answer and in no error. */
export const KEY = "sk-secret-0123456789";

const servers: ModelServer[] = [];

export async function serve(script: Script, more: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
	const server = await startModelServer({ script, ...more });
	servers.push(server);
	return server;
}

export async function closeServers(): Promise<void> {
	await Promise.all(servers.splice(0).map((server) => server.close()));
}
