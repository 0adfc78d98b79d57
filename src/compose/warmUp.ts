// Preloads what the first request would otherwise wait for.

import { loadWireFormat } from "../models/selection/connections.ts";
import type { ProviderType } from "../models/selection/providerPresets.ts";

/** Milliseconds after which the chat is rendered and the host is idle. */
const IDLE_DELAY = 700;

interface WarmUpOptions {
	/** Provider types that the user has configured. */
	types(): readonly ProviderType[];
	fetch?: typeof fetch;
	after?: number;
}

/** The first `fetch` of an extension host makes the editor load the system certificates, whatever the URL. This one sends nothing. */
export function scheduleWarmUp({ types, fetch = globalThis.fetch, after = IDLE_DELAY }: WarmUpOptions): { dispose(): void } {
	const timer = setTimeout(() => {
		const all = [fetch("data:,"), import("../runtimes/loop/loop.ts"), ...[...new Set(types())].map(loadWireFormat)];
		for (const each of all) Promise.resolve(each).catch(() => undefined);
	}, after);
	return { dispose: () => clearTimeout(timer) };
}
