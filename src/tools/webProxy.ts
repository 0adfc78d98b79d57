// Addresses that only the person's proxy knows: names that are not resolved here, asked about before, and fetched through it.
import type { Agent } from "node:http";
import { ToolProblem } from "../core/tool.ts";
import { literalAddress } from "./webAddress.ts";

export interface ProxiedNames {
	/**
	 * Whether nobody here can say where this address leads, and a proxy would: the gate then asks. What it was last told
	 * of a host is what a fetch goes by, so that a name cannot be one thing to the gate and another to the fetch.
	 */
	unchecked(url: string): Promise<boolean>;
	/** What a request to it goes through; undefined for an address that was not said to be unchecked. */
	agentFor(url: URL): Promise<Agent | undefined>;
}

export interface ProxyParts {
	/** The proxy that requests to this address go through, as the person or the system has set it. */
	proxyOf(url: URL): string | undefined;
	resolve(host: string): Promise<readonly unknown[]>;
}

export function createProxiedNames({ proxyOf, resolve }: ProxyParts): ProxiedNames {
	const unchecked = new Set<string>();
	const applies = async (url: URL): Promise<boolean> => {
		if (literalAddress(url) !== undefined || proxyOf(url) === undefined) return false;
		const places = await resolve(url.hostname).catch(() => []);
		return places.length === 0;
	};
	return {
		async unchecked(text) {
			if (!URL.canParse(text)) return false;
			const url = new URL(text);
			const applied = await applies(url);
			if (applied) unchecked.add(url.host);
			else unchecked.delete(url.host);
			return applied;
		},
		async agentFor(url) {
			const proxy = unchecked.has(url.host) ? proxyOf(url) : undefined;
			if (proxy === undefined) return undefined;
			if (isInternalName(url.hostname)) {
				throw new ToolProblem(
					`${url.host} is a name of a private network, so it was not fetched. Local services can be asked with execute_command.`,
				);
			}
			if (url.protocol === "https:") return new (await import("https-proxy-agent")).HttpsProxyAgent(proxy);
			return new (await import("http-proxy-agent")).HttpProxyAgent(proxy);
		},
	};
}

function isInternalName(host: string): boolean {
	const name = host.replace(/\.+$/, "").toLowerCase();
	return !name.includes(".") || /\.(?:internal|local|localhost|localdomain|lan|home|corp|intranet|private|home\.arpa)$/.test(name);
}
