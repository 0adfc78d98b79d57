// Sends one HTTP request to an address that was checked and is then pinned, so that DNS can't redirect it.

import { lookup as resolve } from "node:dns/promises";
import { type Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import ipaddr from "ipaddr.js";
import { isPlainAddress } from "../../core/hiddenText.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { unlessAborted } from "../../shared/node/withTimeout.ts";

interface ResolvedAddress {
	address: string;
	family: number;
}

export interface WebAccess {
	/** Every address of a host name. */
	resolve(host: string): Promise<ResolvedAddress[]>;
	/** Returns true if an address may be reached. */
	allows(address: string): boolean;
	/** The HTTP agent for hosts that only a proxy can resolve. */
	agentFor?(url: URL): Promise<Agent | undefined>;
}

export const publicWebAccess: WebAccess = {
	resolve: (host) => resolve(host, { all: true, verbatim: true }),
	allows: isPublicAddress,
};

interface WebRequestOptions {
	method: string;
	headers: Readonly<Record<string, string>>;
	body?: Uint8Array;
}

const GET: WebRequestOptions = { method: "GET", headers: { accept: "text/html,text/*;q=0.9,*/*;q=0.5" } };

export interface WebResponse {
	status: number;
	/** The target of a redirect. */
	location: string | undefined;
	contentType: string;
	body: Uint8Array;
	/** The body was truncated at the limit. */
	cut: boolean;
}

const decoders: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
	gzip: createGunzip,
	"x-gzip": createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
};

/** Throws ToolError for an address that may not be reached; rejects with network errors. */
export async function getPublicUrl(url: URL, reach: WebAccess, limit: number, signal: AbortSignal): Promise<WebResponse> {
	const agent = await reach.agentFor?.(url);
	// A DNS lookup cannot be stopped, only abandoned.
	const addresses = agent ? [] : await unlessAborted(checkedAddresses(url, reach), signal);
	const answer = await requestPinned(url, addresses, GET, limit, signal, agent);
	if (agent && answer.status === 407)
		throw new ToolError(`The proxy wants a name and a password, so ${url.host} was not reached. Tell the person.`);
	return answer;
}

/** Sends a request to addresses that the caller has checked. */
export async function requestPinned(
	url: URL,
	addresses: readonly ResolvedAddress[],
	send: WebRequestOptions,
	limit: number,
	signal: AbortSignal,
	agent?: Agent,
): Promise<WebResponse> {
	const response = await open(url, addresses, send, signal, agent);
	try {
		const { statusCode: status = 0, headers } = response;
		const location = status >= 300 && status < 400 ? headers.location : undefined;
		const contentType = headers["content-type"] ?? "";
		if (location !== undefined) return { status, location, contentType, body: new Uint8Array(), cut: false };
		return { status, location, contentType, ...(await readBody(response, limit)) };
	} finally {
		response.destroy();
	}
}

/** All addresses of a URL's host. */
export async function resolveAddresses(url: URL, resolve: WebAccess["resolve"]): Promise<ResolvedAddress[]> {
	const literal = literalAddress(url);
	return literal === undefined ? resolve(url.hostname) : [{ address: literal, family: literal.includes(":") ? 6 : 4 }];
}

async function checkedAddresses(url: URL, reach: WebAccess): Promise<ResolvedAddress[]> {
	const addresses = await resolveAddresses(url, reach.resolve);
	const closed = addresses.find(({ address }) => !reach.allows(address));
	if (closed || addresses.length === 0) {
		throw new ToolError(
			`${url.host} is not on the public internet, so it was not fetched. Local services can be asked with execute_command.`,
		);
	}
	return addresses;
}

function open(
	url: URL,
	addresses: readonly ResolvedAddress[],
	{ method, headers, body }: WebRequestOptions,
	signal: AbortSignal,
	agent: Agent | undefined,
): Promise<IncomingMessage> {
	const pinned: LookupFunction = (_host, options, callback) => {
		const [first] = addresses;
		if (options.all) callback(null, [...addresses]);
		else callback(null, first?.address ?? "", first?.family);
	};
	return new Promise((done, fail) => {
		const send = url.protocol === "https:" ? requestHttps : requestHttp;
		const always = { "accept-encoding": "gzip, deflate, br", "user-agent": "Troupe" };
		const connection = agent ? { agent } : { agent: false as const, lookup: pinned };
		const request = send(url, { ...connection, signal, method, headers: { ...headers, ...always } }, done);
		request.on("error", fail);
		request.end(body);
	});
}

/** Reads up to the limit, counted after decompression: a small response can contain a huge page. */
async function readBody(response: IncomingMessage, limit: number): Promise<{ body: Uint8Array; cut: boolean }> {
	const decoder = decoders[response.headers["content-encoding"]?.trim().toLowerCase() ?? ""]?.();
	const source: Readable = decoder ?? response;
	// An error in either stream destroys the other, and the loop below throws.
	if (decoder) pipeline(response, decoder, () => {});
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of source as AsyncIterable<Uint8Array>) {
		chunks.push(chunk);
		size += chunk.length;
		if (size > limit) return { body: Buffer.concat(chunks).subarray(0, limit), cut: true };
	}
	return { body: Buffer.concat(chunks), cut: false };
}

/** Cloud metadata services at public or private addresses. */
const METADATA = new Set(["168.63.129.16", "100.100.100.200", "fd00:ec2::254"]);
/** The allocated IPv6 global unicast range. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Throws ToolError unless the text is a plain http or https URL, so that it leads where it appears to. */
export function parseWebUrl(text: string, base?: URL): URL {
	if (!isPlainAddress(text)) throw new ToolError("The URL holds a backslash, a blank or an invisible character; it was not fetched.");
	let url: URL;
	try {
		url = new URL(text, base);
	} catch {
		throw new ToolError(`${text} is not a URL. Give a whole one, such as https://example.com/page.`);
	}
	if (url.protocol !== "http:" && url.protocol !== "https:") throw new ToolError("Only http and https URLs are fetched.");
	const authority = /^[a-z][a-z0-9+.-]*:\/*([^/?#]*)/i.exec(text)?.[1] ?? "";
	if (url.username !== "" || url.password !== "" || authority.includes("@")) {
		throw new ToolError("The URL holds a user name or password before an @; it was not fetched. Give it without.");
	}
	return url;
}

/** The host of a URL if it is an IP address. */
function literalAddress(url: URL): string | undefined {
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	return isIP(host) === 0 ? undefined : host;
}

/** Returns true if an address is on the public internet: not private, link-local, loopback or metadata. Handles IPv4 in IPv6. */
export function isPublicAddress(address: string): boolean {
	return addressKind(address) === "public";
}

/** `closed`: link-local, metadata and other addresses without regular servers. */
export function addressKind(address: string): "public" | "private" | "loopback" | "closed" {
	if (!ipaddr.isValid(address)) return "closed";
	const parsed = ipaddr.process(address);
	if (METADATA.has(parsed.toString())) return "closed";
	const range = parsed.range();
	if (range === "loopback") return "loopback";
	if (range === "private" || range === "uniqueLocal" || range === "carrierGradeNat") return "private";
	if (range !== "unicast") return "closed";
	return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST) ? "public" : "closed";
}

interface ProxyOnlyHosts {
	/**
	 * Resolves to true if only a proxy can resolve this URL's host, so that the gate requires approval. A fetch uses the gate's last result
	 * for the host, so that both treat the name the same.
	 */
	unchecked(url: string): Promise<boolean>;
	/** The agent for a host that `unchecked` last reported; undefined for any other. */
	agentFor(url: URL): Promise<Agent | undefined>;
}

/** The route to a host that only a proxy can resolve; `private` if its name belongs to a private network. */
export interface ProxyRoute {
	private: boolean;
	agent(): Promise<Agent>;
}

export interface ProxyRouteOptions {
	/** The proxy for requests to this URL, as configured by the user or the system. */
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

/** The proxy route to a host that can't be resolved locally; undefined for any other URL. */
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
