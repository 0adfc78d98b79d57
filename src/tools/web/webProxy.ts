// Addresses that only the person's proxy knows: names that are not resolved here, asked about before, and fetched through it.
import type { Agent } from "node:http";
import { ToolError } from "../../core/ports/tool.ts";
import { literalAddress } from "./webAddress.ts";

export interface ProxyOnlyHosts {
	/**
	 * Whether nobody here can say where this address leads, and a proxy would: the gate then asks. What it was last told
	 * of a host is what a fetch goes by, so that a name cannot be one thing to the gate and another to the fetch.
	 */
	unchecked(url: string): Promise<boolean>;
	/** What a request to it goes through; undefined for an address that was not said to be unchecked. */
	agentFor(url: URL): Promise<Agent | undefined>;
}

/** Whether only a proxy knows this name; and what a request goes through to it, unless it is one of a private network. */
export interface ProxyRoute {
	private: boolean;
	agent(): Promise<Agent>;
}

export interface ProxyRouteOptions {
	/** The proxy that requests to this address go through, as the person or the system has set it. */
	proxyOf(url: URL): string | undefined;
	resolve(host: string): Promise<readonly unknown[]>;
}

export function createProxyOnlyHosts(parts: ProxyRouteOptions): ProxyOnlyHosts {
	const unchecked = new Set<string>();
	return {
		async unchecked(text) {
			if (!URL.canParse(text)) return false;
			const url = new URL(text);
			const applied = (await findProxyRoute(url, parts)) !== undefined;
			if (applied) unchecked.add(url.host);
			else unchecked.delete(url.host);
			return applied;
		},
		async agentFor(url) {
			const proxy = unchecked.has(url.host) ? parts.proxyOf(url) : undefined;
			if (proxy === undefined) return undefined;
			if (isInternalName(url.hostname)) {
				throw new ToolError(
					`${url.host} is a name of a private network, so it was not fetched. Local services can be asked with execute_command.`,
				);
			}
			return agentThrough(proxy, url);
		},
	};
}

/** The way to a name that nobody here can resolve, where a proxy would; undefined for any other address. */
export async function findProxyRoute(url: URL, { proxyOf, resolve }: ProxyRouteOptions): Promise<ProxyRoute | undefined> {
	const proxy = literalAddress(url) === undefined ? proxyOf(url) : undefined;
	if (proxy === undefined) return undefined;
	const places = await resolve(url.hostname).catch(() => []);
	if (places.length > 0) return undefined;
	return { private: isInternalName(url.hostname), agent: () => agentThrough(proxy, url) };
}

async function agentThrough(proxy: string, url: URL): Promise<Agent> {
	if (url.protocol === "https:") return new (await import("https-proxy-agent")).HttpsProxyAgent(proxy);
	return new (await import("http-proxy-agent")).HttpProxyAgent(proxy);
}

function isInternalName(host: string): boolean {
	const name = host.replace(/\.+$/, "").toLowerCase();
	return !name.includes(".") || /\.(?:internal|local|localhost|localdomain|lan|home|corp|intranet|private|home\.arpa)$/.test(name);
}
