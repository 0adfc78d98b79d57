// Signing in to a server that wants it: OAuth with PKCE, a client registered for this installation, and tokens in the key store.
import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import {
	auth,
	extractWWWAuthenticateParams,
	type OAuthClientProvider,
	type OAuthDiscoveryState,
	type StoredOAuthClientInformation,
	type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { t } from "../l10n.ts";
import { bounded } from "./bounded.ts";
import { CALLBACK, listenForBrowser } from "./loopback.ts";

export interface SignInParts {
	/** Address of the server. */
	url: URL;
	store: { get(): Promise<string | undefined>; set(value: string | undefined): Promise<void> };
	openUrl(url: string): Promise<boolean>;
	/** The person is to act in the browser, or has. */
	waiting(waits: boolean): void;
	/** Milliseconds for the person. */
	patience: number;
	/** What the person was given to sign in with. */
	client?: { clientId: string; clientSecret?: string };
}

/** What is kept between sign-ins. */
interface Kept {
	client?: StoredOAuthClientInformation;
	tokens?: StoredOAuthTokens;
	/** That the client was registered with. */
	port?: number;
	/** What was asked for when the tokens were given. */
	scope?: string;
}

export interface SignIn {
	/** The Authorization header's value. */
	header(): Promise<string | undefined>;
	/** After 401, or 403 for want of a scope: true when it is worth to ask again. Throws a sentence. */
	refused(response: Response, header: string | undefined, signal: AbortSignal): Promise<boolean>;
}

export function createSignIn({ url, store, openUrl, waiting, patience, client }: SignInParts): SignIn {
	let running: Promise<boolean> | undefined;

	async function kept(): Promise<Kept> {
		try {
			return JSON.parse((await store.get()) ?? "{}") as Kept;
		} catch {
			return {};
		}
	}

	async function header(): Promise<string | undefined> {
		const { tokens } = await kept();
		return tokens && `Bearer ${tokens.access_token}`;
	}

	async function begin(response: Response, signal: AbortSignal): Promise<boolean> {
		const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
		const state = await kept();
		const door = await listenForBrowser(state.port);
		try {
			if (door.port !== state.port) {
				// Its registration names the address that the browser comes back to.
				delete state.client;
				state.port = door.port;
			}
			const more = response.status === 403;
			if (more) state.scope = [...new Set(`${state.scope ?? ""} ${scope ?? ""}`.split(" ").filter(Boolean))].join(" ");
			const wanted = more ? state.scope : scope;
			const nonce = randomUUID();
			const provider = providerOf({ state, nonce, save: () => store.set(JSON.stringify(state)), openUrl, client });
			const options = {
				serverUrl: url,
				fetchFn: authorisationFetch(url, signal),
				...(wanted && { scope: wanted }),
				...(resourceMetadataUrl && { resourceMetadataUrl }),
			};
			const first = await auth(provider, { ...options, ...(more && { forceReauthorization: true }) });
			if (first === "AUTHORIZED") return true;
			waiting(true);
			const limit = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
			const answer = await door.answer(nonce, limit).finally(() => waiting(false));
			const iss = answer.get("iss");
			await auth(provider, { ...options, authorizationCode: answer.get("code") ?? "", ...(iss !== null && { iss }) });
			if (wanted) state.scope = wanted;
			await store.set(JSON.stringify(state));
			return true;
		} catch (error) {
			if (error instanceof Error && error.name === "TimeoutError")
				throw new Error(t("Nobody signed in in time. Send a message to try again."));
			throw error;
		} finally {
			door.close();
		}
	}

	return {
		header,
		async refused(response, used, signal) {
			// Another session, or another window, may have signed in meanwhile.
			const now = await header();
			if (response.status === 401 && now !== undefined && now !== used) return true;
			running ??= begin(response, signal).finally(() => {
				running = undefined;
			});
			return running;
		},
	};
}

function providerOf({
	state,
	nonce,
	save,
	openUrl,
	client,
}: {
	state: Kept;
	nonce: string;
	save(): Promise<void>;
	openUrl: SignInParts["openUrl"];
	client: SignInParts["client"];
}): OAuthClientProvider {
	const described = client?.clientId.startsWith("https://") ? { clientMetadataUrl: client.clientId } : {};
	const own = client &&
		!("clientMetadataUrl" in described) && {
			client_id: client.clientId,
			...(client.clientSecret && { client_secret: client.clientSecret }),
		};
	const redirectUrl = `http://127.0.0.1:${state.port}${CALLBACK}`;
	let verifier = "";
	let discovery: OAuthDiscoveryState | undefined;
	return {
		...described,
		redirectUrl,
		clientMetadata: {
			client_name: "Troupe",
			redirect_uris: [redirectUrl],
			grant_types: ["authorization_code", "refresh_token"],
			response_types: ["code"],
			application_type: "native",
		},
		state: () => nonce,
		clientInformation: () => own || state.client,
		async saveClientInformation(registered) {
			state.client = registered;
			await save();
		},
		tokens: () => state.tokens,
		async saveTokens(tokens) {
			state.tokens = tokens;
			await save();
		},
		saveCodeVerifier(value) {
			verifier = value;
		},
		codeVerifier: () => verifier,
		// What was found when the browser was sent away is what the answer is held against.
		saveDiscoveryState(found) {
			discovery = found;
		},
		discoveryState: () => discovery,
		async redirectToAuthorization(address) {
			const opened = mayOpen(address) && (await openUrl(address.href));
			if (!opened) throw new Error(t("The page to sign in could not be opened: {0}", address.origin));
		},
		async invalidateCredentials(scope) {
			if (scope === "all" || scope === "client") delete state.client;
			if (scope === "all" || scope === "tokens") delete state.tokens;
			if (scope === "all" || scope === "verifier") verifier = "";
			if (scope === "all" || scope === "discovery") discovery = undefined;
			await save();
		},
	};
}

/** https, or http on this computer; never with a name and a password in it. */
function mayOpen({ protocol, hostname, username, password }: URL): boolean {
	if (username || password) return false;
	return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

function isLoopback(host: string): boolean {
	return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Where a server's words may lead requests: to https by name, and on this computer only where the server is there, too. */
function mayAsk(target: URL, server: URL): boolean {
	if (target.origin === server.origin) return true;
	if (isLoopback(target.hostname)) return isLoopback(server.hostname);
	return target.protocol === "https:" && isIP(target.hostname.replace(/^\[|\]$/g, "")) === 0;
}

const HOPS = 3;
const AUTHORISATION_MS = 30_000;

/** Redirects are followed for reading alone, each as if it had been asked for. */
function authorisationFetch(server: URL, signal: AbortSignal) {
	return async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
		let target = new URL(address);
		for (let hop = 0; ; hop += 1) {
			if (!mayAsk(target, server)) throw new Error(t("The server leads the sign-in to {0}, where it may not go.", target.origin));
			const limit = AbortSignal.any([signal, AbortSignal.timeout(AUTHORISATION_MS), ...(init.signal ? [init.signal] : [])]);
			const response = bounded(await fetch(target, { ...init, redirect: "manual", signal: limit }), 1024 * 1024);
			const to = response.headers.get("location");
			if (response.status < 300 || response.status > 399 || to === null || (init.method ?? "GET") !== "GET" || hop === HOPS)
				return response;
			target = new URL(to, target);
		}
	};
}
