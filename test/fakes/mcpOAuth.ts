// A small server over HTTP that wants a sign-in: the protocol's metadata, registration, PKCE, refresh and scopes, by the letter.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface OAuthServer {
	/** Of the server. */
	url: string;
	/** What came, as "METHOD path". */
	requests: string[];
	/** Every Authorization header that came, by path. */
	authorizations: [path: string, header: string | undefined][];
	/** Secrets of clients that were shown to it. */
	shown: string[];
	/** Access tokens from now on are not valid any more; refresh tokens stay. */
	expire(): void;
	/** Nor are refresh tokens. */
	forget(): void;
	/** As the person's browser: opens the page to sign in and follows it back. Gives the last status. */
	browse(address: string): Promise<number>;
	close(): Promise<void>;
}

export interface OAuthOptions {
	/** Answers to requests of the server itself, instead of its own. */
	answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
	/** Where the sign-in is said to be. */
	issuer?: string;
	/** In place of what its description of itself says. */
	described?: Record<string, string>;
	/** The person does not want to. */
	refuses?: boolean;
	/** A tool call needs this scope. */
	scope?: string;
	/** Id of a client that is known without having registered, and shows its secret. */
	client?: string;
}

export async function oauthServer(options: OAuthOptions = {}): Promise<OAuthServer> {
	const requests: string[] = [];
	const authorizations: [string, string | undefined][] = [];
	const shown: string[] = [];
	const clients = new Map<string, string[]>();
	const codes = new Map<string, { challenge: string; redirect: string; scope: string }>();
	let access = new Map<string, string>();
	const refresh = new Map<string, string>();
	let origin = "";

	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? "/", origin);
		requests.push(`${request.method} ${url.pathname}`);
		authorizations.push([url.pathname, request.headers.authorization]);
		if (options.answer?.(request, response)) return undefined;
		const body = await bodyOf(request);
		const json = (status: number, value: unknown, headers = {}): unknown => {
			return response
				.writeHead(status, { "content-type": "application/json", ...headers })
				.end(value === undefined ? "" : JSON.stringify(value));
		};
		if (url.pathname.startsWith("/.well-known/oauth-protected-resource")) {
			return json(200, { resource: `${origin}/mcp`, authorization_servers: [options.issuer ?? origin] });
		}
		if (url.pathname.startsWith("/.well-known/oauth-authorization-server")) {
			return json(200, {
				issuer: origin,
				authorization_endpoint: `${origin}/authorize`,
				token_endpoint: `${origin}/token`,
				registration_endpoint: `${origin}/register`,
				response_types_supported: ["code"],
				grant_types_supported: ["authorization_code", "refresh_token"],
				code_challenge_methods_supported: ["S256"],
				token_endpoint_auth_methods_supported: [options.client === undefined ? "none" : "client_secret_post"],
				authorization_response_iss_parameter_supported: true,
				...options.described,
			});
		}
		if (url.pathname === "/register") {
			const client = JSON.parse(body) as { redirect_uris: string[] };
			const id = randomUUID();
			clients.set(id, client.redirect_uris);
			return json(201, { ...client, client_id: id, token_endpoint_auth_method: "none" });
		}
		if (url.pathname === "/authorize") {
			const asked = Object.fromEntries(url.searchParams) as Record<string, string>;
			const back = new URL(asked["redirect_uri"] ?? origin);
			const known = options.client !== undefined && asked["client_id"] === options.client;
			if (!known && !clients.get(asked["client_id"] ?? "")?.includes(back.href)) return json(400, { error: "invalid_client" });
			if (asked["code_challenge_method"] !== "S256") return json(400, { error: "no PKCE" });
			const code = randomUUID();
			codes.set(code, { challenge: asked["code_challenge"] ?? "", redirect: back.href, scope: asked["scope"] ?? "" });
			const answer = options.refuses ? { error: "access_denied" } : { code, iss: origin };
			for (const [key, value] of Object.entries({ ...answer, state: asked["state"] ?? "" })) back.searchParams.set(key, value);
			return response.writeHead(302, { location: back.href }).end();
		}
		if (url.pathname === "/token") return token(new URLSearchParams(body), json);
		if (url.pathname === "/mcp") return mcp(request, body, json);
		return json(404, {});
	});

	function token(form: URLSearchParams, json: (status: number, value: unknown) => unknown): unknown {
		let scope: string | undefined;
		shown.push(...form.getAll("client_secret"));
		if (form.get("grant_type") === "refresh_token") scope = refresh.get(form.get("refresh_token") ?? "");
		else {
			const code = codes.get(form.get("code") ?? "");
			codes.delete(form.get("code") ?? "");
			const right =
				code?.challenge ===
				createHash("sha256")
					.update(form.get("code_verifier") ?? "")
					.digest("base64url");
			if (right && code?.redirect === form.get("redirect_uri")) scope = code?.scope;
		}
		if (scope === undefined) return json(400, { error: "invalid_grant" });
		const [one, other] = [randomUUID(), randomUUID()];
		access.set(one, scope);
		refresh.set(other, scope);
		return json(200, { access_token: one, refresh_token: other, token_type: "Bearer", expires_in: 3_600, scope });
	}

	function mcp(request: IncomingMessage, body: string, json: (status: number, value: unknown, headers?: object) => unknown): unknown {
		const scope = access.get(request.headers.authorization?.replace(/^Bearer /, "") ?? "");
		const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource"`;
		if (scope === undefined) return json(401, { error: "no" }, { "www-authenticate": `Bearer ${metadata}` });
		if (request.method !== "POST") return json(405, {});
		const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: Record<string, unknown> };
		if (method === "tools/call" && options.scope && !scope.split(" ").includes(options.scope)) {
			const challenge = `Bearer error="insufficient_scope", scope="${options.scope}", ${metadata}`;
			return json(403, { error: "insufficient_scope" }, { "www-authenticate": challenge });
		}
		const results: Record<string, unknown> = {
			initialize: { protocolVersion: params?.["protocolVersion"], capabilities: { tools: {} }, serverInfo: { name: "far", version: "1" } },
			"tools/list": { tools: [{ name: "whoami", inputSchema: { type: "object" } }] },
			"tools/call": { content: [{ type: "text", text: `you have [${scope}]` }] },
		};
		if (id === undefined) return json(202, undefined);
		return json(200, { jsonrpc: "2.0", id, result: results[method] ?? {} });
	}

	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url: `${origin}/mcp`,
		requests,
		authorizations,
		shown,
		expire() {
			access = new Map();
		},
		forget() {
			access = new Map();
			refresh.clear();
		},
		browse: async (address) => (await fetch(address)).status,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}
