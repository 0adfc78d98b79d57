// Restricts an OAuth sign-in's requests: hosts are resolved and checked before any connection.

// A request goes to the checked address or is not sent.
import type { Agent } from "node:http";
import { isIP } from "node:net";
import { t } from "../../shared/l10n.ts";
import { unlessAborted } from "../../shared/node/withTimeout.ts";

interface Place {
	address: string;
	family: number;
}

/** What the room is handed of the network. */
export interface OAuthNetwork {
	/** All addresses of its host. */
	resolveAddresses(url: URL): Promise<Place[]>;
	classifyAddress(address: string): "public" | "private" | "loopback" | "closed";
	/** One request to these addresses alone, nothing followed; `cut` where its body has more bytes than the limit. */
	request(
		url: URL,
		places: readonly Place[],
		send: { method: string; headers: Readonly<Record<string, string>>; body?: Uint8Array },
		limit: number,
		signal: AbortSignal,
		/** What it goes through instead, to a name without addresses here. */
		agent?: Agent,
	): Promise<{ status: number; location: string | undefined; contentType: string; body: Uint8Array; cut: boolean }>;
	/** The way to a name that only the person's proxy can resolve; undefined for any other. `private`: it names a private network. */
	resolveProxy?(url: URL): Promise<{ private: boolean; agent(): Promise<Agent> } | undefined>;
}

const HOPS = 3;
const TIME = 30_000;
/** Bytes of one answer. */
const ANSWER = 1024 * 1024;

/**
 * Redirects are followed for reading alone, each as if it had been asked for. `agrees`: the person lets this sign-in reach an
 * origin whose address only the proxy knows; they are asked once for each, and the answer is for this sign-in alone.
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
				throw new Error(t("The server points sign-in to {0}, which isn't allowed.", target.origin));
			}
			if (agent && target.origin !== server.origin && !(await agreed(target))) {
				throw new Error(t("Sign-in canceled: you didn't allow {0}.", target.origin));
			}
			const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME), ...(asked ? [asked] : [])]);
			const request = new Request(target, rest);
			const body = Buffer.from(await request.arrayBuffer());
			const send = { method: request.method, headers: Object.fromEntries(request.headers), ...(body.length > 0 && { body }) };
			const answer = await network.request(target, places, send, ANSWER, limit, agent);
			if (agent && answer.status === 407) {
				throw new Error(t("Couldn't reach {0}: the proxy requires a user name and password.", target.origin));
			}
			if (answer.cut) throw new Error(t("{0} sent a response larger than {1} bytes.", target.origin, ANSWER));
			if (answer.location === undefined || request.method !== "GET" || hop === HOPS) return responseOf(answer);
			target = new URL(answer.location, target);
		}
	};
}

/** The page to sign in: https, or http on this computer; never with a name and a password in it. `unchecked`: only the proxy knows it. */
export async function mayOpenSignInPage(page: URL, server: URL, network: OAuthNetwork): Promise<boolean | "unchecked"> {
	if (page.username || page.password) return false;
	if (page.protocol !== "https:" && !(page.protocol === "http:" && isLoopback(page.hostname))) return false;
	const places = await placesOf(page, network);
	return places === PROXY ? "unchecked" : mayReach(places, page, server, network);
}

const PROXY = "proxy";

/** Empty where there is none; names of a private network are never left to the proxy, which is inside of it. */
async function placesOf(url: URL, network: OAuthNetwork): Promise<readonly Place[] | typeof PROXY> {
	const found = await network.resolveAddresses(url).catch((error: Error) => error);
	if (Array.isArray(found) && found.length > 0) return found;
	const way = await network.resolveProxy?.(url);
	if (way === undefined && found instanceof Error) throw found;
	return way === undefined || way.private ? [] : PROXY;
}

/** By its name: https, and on this computer only where the server is there, too. */
function mayAsk(target: URL, server: URL): boolean {
	if (target.origin === server.origin) return true;
	if (isLoopback(target.hostname)) return isLoopback(server.hostname);
	return target.protocol === "https:" && isIP(target.hostname.replace(/^\[|\]$/g, "")) === 0;
}

/**
 * A server on the public internet has nothing to look for behind the person's firewall. One that lives there itself may sign in at
 * its own host, and within private networks: a company's server does that at the company's. Link-local and metadata addresses are
 * for nobody. Every address counts, of both sides: whoever owns a name can mix them.
 */
async function mayReach(places: readonly Place[], target: URL, server: URL, network: OAuthNetwork): Promise<boolean> {
	if (places.length === 0) return false;
	if (target.origin === server.origin || places.every(({ address }) => network.classifyAddress(address) === "public")) return true;
	// A server that only the proxy knows leads nowhere but into the open.
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
	// Some kinds of answers have no body, and a Response insists.
	return new Response([204, 205, 304].includes(status) ? null : Buffer.from(body), { status, headers });
}
