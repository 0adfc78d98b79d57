// Restricts an OAuth sign-in's requests: hosts are resolved and checked before any connection.

// A request is sent only to the checked addresses.
import type { Agent } from "node:http";
import { isIP } from "node:net";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { unlessAborted } from "../../shared/node/withTimeout.ts";

interface Place {
	address: string;
	family: number;
}

/** Network access for OAuth. */
export interface OAuthNetwork {
	/** All addresses of the URL's host. */
	resolveAddresses(url: URL): Promise<Place[]>;
	classifyAddress(address: string): "public" | "private" | "loopback" | "closed";
	/** Makes one request, only to these addresses, without following redirects; `cut` if the body exceeds the limit. */
	request(
		url: URL,
		places: readonly Place[],
		send: { method: string; headers: Readonly<Record<string, string>>; body?: Uint8Array },
		limit: number,
		signal: AbortSignal,
		/** Proxy agent for a name that cannot be resolved locally. */
		agent?: Agent,
	): Promise<{ status: number; location: string | undefined; contentType: string; body: Uint8Array; cut: boolean }>;
	/** Returns the proxy for a name that only it can resolve; undefined for any other. `private`: the name is in a private network. */
	resolveProxy?(url: URL): Promise<{ private: boolean; agent(): Promise<Agent> } | undefined>;
}

const HOPS = 3;
const TIME = 30_000;
/** Maximum bytes of a response. */
const ANSWER = 1024 * 1024;

/**
 * Follows redirects only for GET, checking each like a new request. `agrees` asks the user to allow an origin whose address only
 * the proxy knows: once per origin, for this sign-in only.
 */
export function createAuthorizationFetch(
	server: URL,
	network: OAuthNetwork,
	signal: AbortSignal,
	agrees: (origin: string) => Promise<boolean>,
) {
	const answers = new Map<string, Promise<boolean>>();
	const agreed = ({ origin }: URL): Promise<boolean> => {
		const answer = answers.get(origin) ?? agrees(origin);
		answers.set(origin, answer);
		return answer;
	};
	return async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
		let target = new URL(address);
		const { signal: asked, ...rest } = init;
		for (let hop = 0; ; hop += 1) {
			const look = AbortSignal.any([signal, AbortSignal.timeout(TIME), ...(asked ? [asked] : [])]);
			const found = mayAsk(target, server) ? await unlessAborted(placesOf(target, network), look) : [];
			const agent = found === PROXY ? await (await network.resolveProxy?.(target))?.agent() : undefined;
			const places = found === PROXY ? [] : found;
			if (!agent && !(await unlessAborted(mayReach(places, target, server, network), look))) {
				throw new UserError(t("The server points sign-in to {0}, which isn't allowed.", target.origin));
			}
			if (agent && target.origin !== server.origin && !(await agreed(target))) {
				throw new UserError(t("Sign-in canceled: you didn't allow {0}.", target.origin));
			}
			const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME), ...(asked ? [asked] : [])]);
			const request = new Request(target, rest);
			const body = Buffer.from(await request.arrayBuffer());
			const send = { method: request.method, headers: Object.fromEntries(request.headers), ...(body.length > 0 && { body }) };
			const answer = await network.request(target, places, send, ANSWER, limit, agent);
			if (agent && answer.status === 407) {
				throw new UserError(t("Couldn't reach {0}: the proxy requires a user name and password.", target.origin));
			}
			if (answer.cut) throw new UserError(t("{0} sent a response larger than {1} bytes.", target.origin, ANSWER));
			if (answer.location === undefined || request.method !== "GET" || hop === HOPS) return responseOf(answer);
			target = new URL(answer.location, target);
		}
	};
}

/**
 * Sign-in pages must use https, or http on this computer, and contain no credentials. `unchecked`: only the proxy can resolve the
 * host.
 */
export async function mayOpenSignInPage(page: URL, server: URL, network: OAuthNetwork): Promise<boolean | "unchecked"> {
	if (page.username || page.password) return false;
	if (page.protocol !== "https:" && !(page.protocol === "http:" && isLoopback(page.hostname))) return false;
	const places = await placesOf(page, network);
	return places === PROXY ? "unchecked" : mayReach(places, page, server, network);
}

const PROXY = "proxy";

/** Returns an empty list if the URL cannot be resolved; private names are never left to the proxy, since it is inside that network. */
async function placesOf(url: URL, network: OAuthNetwork): Promise<readonly Place[] | typeof PROXY> {
	const found = await network.resolveAddresses(url).catch((error: Error) => error);
	if (Array.isArray(found) && found.length > 0) return found;
	const way = await network.resolveProxy?.(url);
	if (way === undefined && found instanceof Error) throw found;
	return way === undefined || way.private ? [] : PROXY;
}

/** Checks the name: https, and on this computer only if the server is there too. */
function mayAsk(target: URL, server: URL): boolean {
	if (target.origin === server.origin) return true;
	if (isLoopback(target.hostname)) return isLoopback(server.hostname);
	return target.protocol === "https:" && isIP(target.hostname.replace(/^\[|\]$/g, "")) === 0;
}

/**
 * A public server must not reach hosts behind the user's firewall. A private one may sign in at its own host and within private
 * networks, as company servers do. Link-local and metadata addresses are always refused. All addresses of both sides count, since
 * the owner of a name can mix them.
 */
async function mayReach(places: readonly Place[], target: URL, server: URL, network: OAuthNetwork): Promise<boolean> {
	if (places.length === 0) return false;
	if (target.origin === server.origin || places.every(({ address }) => network.classifyAddress(address) === "public")) return true;
	// A server that only the proxy can resolve may reach only public addresses.
	const own = (await network.resolveAddresses(server).catch(() => [])).map(({ address }) => ({
		address,
		kind: network.classifyAddress(address),
	}));
	if (own.length === 0 || own.some(({ kind }) => kind === "public")) return false;
	const lives = (...kinds: string[]): boolean => own.some(({ kind }) => kinds.includes(kind));
	return places.every(({ address }) => {
		const kind = network.classifyAddress(address);
		if (kind === "public" || own.some((one) => one.address === address)) return true;
		return kind === "loopback" ? lives("loopback") : kind === "private" && lives("private", "loopback");
	});
}

function isLoopback(host: string): boolean {
	return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

function responseOf({ status, location, contentType, body }: Awaited<ReturnType<OAuthNetwork["request"]>>): Response {
	const headers = { "content-type": contentType, ...(location !== undefined && { location }) };
	// Response throws if these statuses have a body.
	return new Response([204, 205, 304].includes(status) ? null : Buffer.from(body), { status, headers });
}
