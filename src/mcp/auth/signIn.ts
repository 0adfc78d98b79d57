// Signs in to MCP servers with OAuth and PKCE, a per-installation client, and tokens in secret storage.
import { randomUUID } from "node:crypto";
import {
	auth,
	extractWWWAuthenticateParams,
	type OAuthClientProvider,
	type OAuthDiscoveryState,
	type StoredOAuthClientInformation,
	type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { unlessAborted } from "../../shared/node/withTimeout.ts";
import { CALLBACK_PATH, listenForCallback } from "./oauthCallback.ts";
import { createAuthorizationFetch, mayOpenSignInPage, type OAuthNetwork } from "./oauthEgress.ts";

export interface SignInOptions {
	/** The server's URL. */
	url: URL;
	store: { get(): Promise<string | undefined>; set(value: string | undefined): Promise<void> };
	/** `unchecked`: only the user's proxy can resolve the URL. */
	openUrl(url: string, unchecked: boolean): Promise<boolean>;
	/** Asks the user to allow an origin whose address only their proxy knows. */
	confirmUncheckedOrigin(origin: string): Promise<boolean>;
	/** Returns the URL at which the user's browser reaches a local URL. */
	toExternalUrl(url: string): Promise<string>;
	network: OAuthNetwork;
	/** Called when waiting for the user in the browser starts or ends. */
	onWaitingChange(waits: boolean): void;
	/** Milliseconds the user has to sign in. */
	timeout: number;
	/** A client registered by the user. */
	client?: { clientId: string; clientSecret?: string };
}

/** State stored between sign-ins. */
interface Kept {
	client?: StoredOAuthClientInformation;
	tokens?: StoredOAuthTokens;
	/** The port and redirect URL of the last sign-in; the client was registered with that URL. */
	port?: number;
	redirect?: string;
	/** Scope requested for the tokens. */
	scope?: string;
	/** Issuer of the first sign-in with the user's client; its secret is sent nowhere else. */
	issuer?: string;
}

export interface SignIn {
	/** Value of the Authorization header. */
	getAuthorizationHeader(): Promise<string | undefined>;
	/** Call after 401, or 403 for a missing scope: resolves to true if a retry makes sense. Throws a sentence. */
	handleRefusal(response: Response, header: string | undefined, signal: AbortSignal): Promise<boolean>;
}

export function createSignIn(parts: SignInOptions): SignIn {
	const { url, store, openUrl, toExternalUrl: reachedAt, network, onWaitingChange: waiting, timeout, client } = parts;
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
		const callback = await listenForCallback(state.port);
		try {
			const here = `http://127.0.0.1:${callback.port}${CALLBACK_PATH}`;
			const redirect = new URL(await reachedAt(here));
			if (redirect.href !== (state.redirect ?? `http://127.0.0.1:${state.port}${CALLBACK_PATH}`)) {
				// The client is registered for another redirect URL.
				delete state.client;
			}
			Object.assign(state, { port: callback.port, redirect: redirect.href });
			const more = response.status === 403;
			if (more) state.scope = [...new Set(`${state.scope ?? ""} ${scope ?? ""}`.split(" ").filter(Boolean))].join(" ");
			const wanted = more ? state.scope : scope;
			const nonce = randomUUID();
			const open = async (address: URL): Promise<boolean> => {
				const may = await mayOpenSignInPage(address, url, network);
				return may !== false && openUrl(address.href, may === "unchecked");
			};
			const agrees = (origin: string): Promise<boolean> => {
				waiting(true);
				const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
				return unlessAborted(parts.confirmUncheckedOrigin(origin), limit).finally(() => waiting(false));
			};
			const provider = providerOf({ state, redirectUrl: redirect.href, nonce, save: () => store.set(JSON.stringify(state)), open, client });
			const options = {
				serverUrl: url,
				fetchFn: createAuthorizationFetch(url, network, signal, agrees),
				...(wanted && { scope: wanted }),
				...(resourceMetadataUrl && { resourceMetadataUrl }),
			};
			const first = await auth(provider, { ...options, ...(more && { forceReauthorization: true }) });
			if (first === "AUTHORIZED") return true;
			waiting(true);
			const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
			const answer = await callback.waitForCallback(nonce, redirect, limit).finally(() => waiting(false));
			const iss = answer.get("iss");
			await auth(provider, { ...options, authorizationCode: answer.get("code") ?? "", ...(iss !== null && { iss }) });
			if (wanted) state.scope = wanted;
			await store.set(JSON.stringify(state));
			return true;
		} catch (error) {
			if (error instanceof Error && error.name === "TimeoutError")
				throw new UserError(t("Sign-in timed out. Send a message to try again."));
			throw error;
		} finally {
			callback.close();
		}
	}

	return {
		getAuthorizationHeader: header,
		async handleRefusal(response, used, signal) {
			// Another session or window may have signed in meanwhile.
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
	redirectUrl,
	nonce,
	save,
	open,
	client,
}: {
	state: Kept;
	redirectUrl: string;
	nonce: string;
	save(): Promise<void>;
	open(address: URL): Promise<boolean>;
	client: SignInOptions["client"];
}): OAuthClientProvider {
	const described = client?.clientId.startsWith("https://") ? { clientMetadataUrl: client.clientId } : {};
	const own = client &&
		!("clientMetadataUrl" in described) && {
			client_id: client.clientId,
			...(client.clientSecret && { client_secret: client.clientSecret }),
		};
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
		clientInformation: () => (own ? { ...own, ...(state.issuer !== undefined && { issuer: state.issuer }) } : state.client),
		// The user's client is not registered elsewhere.
		...(!own && {
			async saveClientInformation(registered: StoredOAuthClientInformation) {
				state.client = registered;
				await save();
			},
		}),
		tokens: () => state.tokens,
		async saveTokens(tokens) {
			state.tokens = tokens;
			if (own && tokens.issuer !== undefined) state.issuer ??= tokens.issuer;
			await save();
		},
		saveCodeVerifier(value) {
			verifier = value;
		},
		codeVerifier: () => verifier,
		// The answer is validated against what was discovered before the browser was opened.
		saveDiscoveryState(found) {
			discovery = found;
		},
		discoveryState: () => discovery,
		async redirectToAuthorization(address) {
			if (!(await open(address))) throw new UserError(t("Couldn't open the sign-in page: {0}", address.origin));
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
