// Does ahead of the first message what its request would wait for.

import { loadWireFormat } from "../models/selection/connections.ts";
import type { ProviderType } from "../models/selection/providerPresets.ts";

/** Milliseconds after which the chat stands, and the host has nothing to do. */
const QUIET = 700;

interface Warmth {
	/** Wire formats of the providers that the person has set up. */
	types(): readonly ProviderType[];
	fetch?: typeof fetch;
	after?: number;
}

/** With the first `fetch` of a host the editor reads the system's certificates, whatever is asked for; nothing is sent for this address. */
export function scheduleWarmUp({ types, fetch = globalThis.fetch, after = QUIET }: Warmth): { dispose(): void } {
	const timer = setTimeout(() => {
		const all = [fetch("data:,"), import("../runtimes/loop/loop.ts"), ...[...new Set(types())].map(loadWireFormat)];
		for (const each of all) Promise.resolve(each).catch(() => undefined);
	}, after);
	return { dispose: () => clearTimeout(timer) };
}
