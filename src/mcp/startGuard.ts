// Checks before a start that this exact MCP server is approved and its secrets are available.

import type { McpHost, McpHttpConfig, McpServerConfig, McpServerState } from "../core/ports/mcp.ts";
import type { ProgramHost } from "../core/ports/programs.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import type { OAuthNetwork } from "./auth/oauthEgress.ts";
import type { SignIn } from "./auth/signIn.ts";
import { hashServer, summarizeServer } from "./canonicalJson.ts";
import type { ConnectionOptions } from "./connection.ts";
import { createRequestSharing, type McpTimeouts } from "./deadlines.ts";
import { resolveArguments } from "./stdioTransport.ts";
import { cleanLine } from "./wire/sanitize.ts";

interface PermitParts {
	host: McpHost;
	timeouts: McpTimeouts;
	programs: ProgramHost;
	network: OAuthNetwork;
	/** The workspace folder. */
	folder(): string;
	/** Working directory for programs that specify none. */
	home(): string;
	output(server: string, line: string): void;
	waiting(server: string, waits: boolean): void;
}

export function createStartGuard({ host, timeouts, programs, network, folder, home, output, waiting }: PermitParts) {
	/** Pending questions by server and hash, shared by all sessions. */
	const once = createRequestSharing<boolean>();
	/** Declined starts: server, session and hash. */
	const declined = new Set<string>();
	/** Secret values by server, including earlier ones, until the window closes. */
	const given = new Map<string, Set<string>>();
	/** Sign-ins by server, address and client, so that one sign-in serves all sessions. */
	const signIns = new Map<string, SignIn>();

	/** Removes the server's secrets from a text. */
	function hide(server: string, text: string): string {
		return redactSecrets(text, given.get(server) ?? []);
	}

	async function check(
		session: string,
		config: McpServerConfig,
		state: (state: McpServerState) => void,
		signal: AbortSignal,
	): ReturnType<ConnectionOptions["authorizeStart"]> {
		await approve(session, config, state);
		signal.throwIfAborted();
		const used = (value: string): void => void given.set(config.id, (given.get(config.id) ?? new Set()).add(value));
		const values =
			"url" in config
				? await resolveSecrets(config.headers ?? {}, host.secret, "header", used)
				: await resolveSecrets(config.env ?? {}, host.secret, "variable", used);
		return {
			config: "url" in config ? config : { ...config, args: resolveArguments(config, folder()) },
			values,
			cwd: ("url" in config ? undefined : config.cwd) ?? home(),
			programs,
			signIn: "url" in config ? await signInFor(config, config.url) : undefined,
			onOutput: (line) => output(config.id, hide(config.id, line)),
		};
	}

	async function approve(session: string, config: McpServerConfig, state: (state: McpServerState) => void): Promise<void> {
		const [hash, before] = [hashServer(config), await host.approvedAs(config.id)];
		if (before === hash) return;
		const refusal = [config.id, session, hash].join(" ");
		const no = (): Error =>
			new UserError(
				t("you didn't allow this server to start. To be asked again, send a message in a new session or start the server manually"),
			);
		if (declined.has(refusal)) throw no();
		state("approval");
		if (await once(`${config.id} ${hash}`, () => host.approveServer(summarizeServer(config, before)))) return;
		declined.add(refusal);
		throw no();
	}

	async function signInFor(
		{ id: server, name, signIn: own }: { id: string; name: string } & McpHttpConfig,
		address: string,
	): Promise<SignIn> {
		const secret = own?.clientSecret === undefined ? {} : await resolveSecrets({ clientSecret: own.clientSecret }, host.secret);
		const key = JSON.stringify([server, address, own?.clientId, secret]);
		const { createServerSignIn } = await import("./openServer.ts");
		const url = new URL(address);
		const known = signIns.get(key);
		if (known) return known;
		const signIn = createServerSignIn({
			url,
			// Bound to the address, so that a token is never sent to another server with the same ID.
			store: {
				get: async () => {
					const kept = (await host.tokens.get(server)) ?? "";
					return kept.startsWith(`${url.href}\n`) ? kept.slice(url.href.length + 1) : undefined;
				},
				set: (value) => host.tokens.set(server, value === undefined ? undefined : `${url.href}\n${value}`),
			},
			openUrl: host.openUrl,
			confirmUncheckedOrigin: async (origin) => (await host.reachUnchecked?.({ id: server, name }, origin)) ?? false,
			toExternalUrl: async (address) => (await host.reachedAt?.(address)) ?? address,
			network,
			onWaitingChange: (waits) => waiting(server, waits),
			timeout: timeouts.userAction,
			...(own && { client: { clientId: own.clientId, ...secret } }),
		});
		signIns.set(key, signIn);
		return signIn;
	}

	return {
		check,
		hide,
		/** Allows asking the user again. */
		forget(server: string): void {
			for (const key of [...declined]) if (key.startsWith(`${server} `)) declined.delete(key);
			host.log(`MCP server ${cleanLine(server, 80)}: stopped by hand`);
		},
	};
}

const PLACE = /\$\{secret:([^{}]*)\}/g;

/** Characters that variables and headers cannot contain; errors about them would quote the whole value. */
const UNFIT = { variable: /\0/, header: /[^\t\x20-\xff]|\x7f/ };

/** Throws a sentence if a secret is missing or cannot be sent. */
export async function resolveSecrets(
	values: Readonly<Record<string, string>>,
	secret: (name: string) => Promise<string | undefined>,
	use: keyof typeof UNFIT = "variable",
	used: (value: string) => void = () => undefined,
): Promise<Record<string, string>> {
	const filled: Record<string, string> = {};
	for (const [key, value] of Object.entries(values)) {
		const known = new Map<string, string>();
		for (const [, name = ""] of value.matchAll(PLACE)) {
			const found = await secret(name);
			if (!found) {
				throw new UserError(t("The secret {0} isn't set. Run “Troupe: Set MCP Secret”, then send your message again.", name));
			}
			if (UNFIT[use].test(found))
				throw new UserError(t("The secret {0} contains a character that can't be sent. Set the secret again.", name));
			known.set(name, found);
			used(found);
		}
		filled[key] = value.replace(PLACE, (_, name: string) => known.get(name) ?? "");
	}
	return filled;
}

/** Shorter secrets occur too often in ordinary text. */
const SHORTEST = 6;

/** Redacts secrets in a server's errors, which may repeat its input. */
function redactSecrets(text: string, secrets: Iterable<string>): string {
	let hidden = text;
	for (const secret of secrets) if (secret.length >= SHORTEST) hidden = hidden.replaceAll(secret, "[hidden]");
	return hidden;
}
