// Where a server's words may lead a sign-in: names are resolved and judged first, and the request goes to that address or nowhere.
import { isIP } from "node:net";
import { t } from "../l10n.ts";
import { raced } from "./waiting.ts";

interface Place {
	address: string;
	family: number;
}

/** What the room is handed of the network. */
export interface Network {
	/** All addresses of its host. */
	addresses(url: URL): Promise<Place[]>;
	kindOf(address: string): "public" | "private" | "loopback" | "closed";
	/** One request to these addresses alone, nothing followed; `cut` where its body has more bytes than the limit. */
	request(
		url: URL,
		places: readonly Place[],
		send: { method: string; headers: Readonly<Record<string, string>>; body?: Uint8Array },
		limit: number,
		signal: AbortSignal,
	): Promise<{ status: number; location: string | undefined; contentType: string; body: Uint8Array; cut: boolean }>;
}

const HOPS = 3;
const TIME = 30_000;
/** Bytes of one answer. */
const ANSWER = 1024 * 1024;

/** Redirects are followed for reading alone, each as if it had been asked for. */
export function authorisationFetch(server: URL, network: Network, signal: AbortSignal) {
	return async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
		let target = new URL(address);
		const { signal: asked, ...rest } = init;
		for (let hop = 0; ; hop += 1) {
			const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME), ...(asked ? [asked] : [])]);
			const places = mayAsk(target, server) ? await raced(network.addresses(target), limit) : [];
			if (!(await raced(mayReach(places, target, server, network), limit))) {
				throw new Error(t("The server leads the sign-in to {0}, where it may not go.", target.origin));
			}
			const request = new Request(target, rest);
			const body = Buffer.from(await request.arrayBuffer());
			const send = { method: request.method, headers: Object.fromEntries(request.headers), ...(body.length > 0 && { body }) };
			const answer = await network.request(target, places, send, ANSWER, limit);
			if (answer.cut) throw new Error(t("{0} sent more than {1} bytes at once.", target.origin, ANSWER));
			if (answer.location === undefined || request.method !== "GET" || hop === HOPS) return responseOf(answer);
			target = new URL(answer.location, target);
		}
	};
}

/** The page to sign in: https, or http on this computer; never with a name and a password in it. */
export async function mayOpen(page: URL, server: URL, network: Network): Promise<boolean> {
	if (page.username || page.password) return false;
	if (page.protocol !== "https:" && !(page.protocol === "http:" && isLoopback(page.hostname))) return false;
	return mayReach(await network.addresses(page), page, server, network);
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
async function mayReach(places: readonly Place[], target: URL, server: URL, network: Network): Promise<boolean> {
	if (places.length === 0) return false;
	if (target.origin === server.origin || places.every(({ address }) => network.kindOf(address) === "public")) return true;
	const own = (await network.addresses(server)).map(({ address }) => ({ address, kind: network.kindOf(address) }));
	if (own.length === 0 || own.some(({ kind }) => kind === "public")) return false;
	const lives = (...kinds: string[]): boolean => own.some(({ kind }) => kinds.includes(kind));
	return places.every(({ address }) => {
		const kind = network.kindOf(address);
		if (kind === "public" || own.some((one) => one.address === address)) return true;
		return kind === "loopback" ? lives("loopback") : kind === "private" && lives("private", "loopback");
	});
}

function isLoopback(host: string): boolean {
	return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

function responseOf({ status, location, contentType, body }: Awaited<ReturnType<Network["request"]>>): Response {
	const headers = { "content-type": contentType, ...(location !== undefined && { location }) };
	// Some kinds of answers have no body, and a Response insists.
	return new Response([204, 205, 304].includes(status) ? null : Buffer.from(body), { status, headers });
}
