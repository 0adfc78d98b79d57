// One HTTP request to an address that was judged first and is then pinned: no second look-up can lead elsewhere.
import { lookup as resolve } from "node:dns/promises";
import { type Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ToolError } from "../../core/ports/tool.ts";
import { isPublicAddress, literalAddress } from "./webAddress.ts";

export interface ResolvedAddress {
	address: string;
	family: number;
}

export interface WebAccess {
	/** Every address of a host name. */
	resolve(host: string): Promise<ResolvedAddress[]>;
	/** Whether an address may be reached. */
	allows(address: string): boolean;
	/** What a request to a place goes through that only a proxy knows. */
	agentFor?(url: URL): Promise<Agent | undefined>;
}

export const publicWebAccess: WebAccess = {
	resolve: (host) => resolve(host, { all: true, verbatim: true }),
	allows: isPublicAddress,
};

export interface WebRequestOptions {
	method: string;
	headers: Readonly<Record<string, string>>;
	body?: Uint8Array;
}

const GET: WebRequestOptions = { method: "GET", headers: { accept: "text/html,text/*;q=0.9,*/*;q=0.5" } };

export interface WebResponse {
	status: number;
	/** Where it points, when it is a redirect. */
	location: string | undefined;
	contentType: string;
	body: Uint8Array;
	/** The body went on beyond the limit. */
	cut: boolean;
}

const decoders: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
	gzip: createGunzip,
	"x-gzip": createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
};

/** Throws ToolProblem for a place that may not be reached; rejects with the network's error otherwise. */
export async function getPublicUrl(url: URL, reach: WebAccess, limit: number, signal: AbortSignal): Promise<WebResponse> {
	const agent = await reach.agentFor?.(url);
	const addresses = agent ? [] : await Promise.race([judgedAddresses(url, reach), abortOf(signal)]);
	const answer = await requestPinned(url, addresses, GET, limit, signal, agent);
	if (agent && answer.status === 407)
		throw new ToolError(`The proxy wants a name and a password, so ${url.host} was not reached. Tell the person.`);
	return answer;
}

/** As `getOnce`, of addresses that somebody else has judged. */
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

async function judgedAddresses(url: URL, reach: WebAccess): Promise<ResolvedAddress[]> {
	const addresses = await resolveAddresses(url, reach.resolve);
	const closed = addresses.find(({ address }) => !reach.allows(address));
	if (closed || addresses.length === 0) {
		throw new ToolError(
			`${url.host} is not on the public internet, so it was not fetched. Local services can be asked with execute_command.`,
		);
	}
	return addresses;
}

/** Rejects when the signal aborts: a look-up of a name cannot be stopped, only left alone. */
function abortOf(signal: AbortSignal): Promise<never> {
	return new Promise((_, fail) => {
		if (signal.aborted) fail(signal.reason);
		signal.addEventListener("abort", () => fail(signal.reason), { once: true });
	});
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
		const way = agent ? { agent } : { agent: false as const, lookup: pinned };
		const request = send(url, { ...way, signal, method, headers: { ...headers, ...always } }, done);
		request.on("error", fail);
		request.end(body);
	});
}

/** Reads until the limit, counted after unpacking: a small answer can hold a huge page. */
async function readBody(response: IncomingMessage, limit: number): Promise<{ body: Uint8Array; cut: boolean }> {
	const decoder = decoders[response.headers["content-encoding"]?.trim().toLowerCase() ?? ""]?.();
	const source: Readable = decoder ?? response;
	// Whatever breaks the one breaks the other, and the loop below then throws.
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
