// What has to be true before a server may start: the person has approved just this one, and its secrets are there.
import type { McpAddress, McpHost, McpServerConfig, McpState } from "../core/ports/mcp.ts";
import { t } from "../shared/l10n.ts";
import type { Network } from "./auth/oauthEgress.ts";
import type { SignIn } from "./auth/signIn.ts";
import type { ConnectionParts } from "./connection.ts";
import { argumentsIn } from "./resolveConfig.ts";
import { withoutSecrets, withSecrets } from "./secrets.ts";
import type { Processes } from "./stdioTransport.ts";
import { serverHash, summaryOf } from "./wire/canonicalJson.ts";
import { together } from "./wire/deadlines.ts";
import { cleanLine } from "./wire/sanitize.ts";
import type { McpPatience } from "./wire/timeouts.ts";

interface PermitParts {
	host: McpHost;
	patience: McpPatience;
	processes: Processes;
	network: Network;
	/** The workspace's. */
	folder(): string;
	/** Where programs run that name no folder. */
	home(): string;
	output(server: string, line: string): void;
	waiting(server: string, waits: boolean): void;
}

export function createPermit({ host, patience, processes, network, folder, home, output, waiting }: PermitParts) {
	/** Questions that wait, by server and hash: sessions share them. */
	const once = together<boolean>();
	/** Session, server and hash of what the person did not want. */
	const declined = new Set<string>();
	/** Values that servers were given, by server: also those of before, until the window closes. */
	const given = new Map<string, Set<string>>();
	/** By server, address and client: whoever signs in does it for all sessions. */
	const signIns = new Map<string, SignIn>();

	/** A text of that server's without the secrets that it was given. */
	function hide(server: string, text: string): string {
		return withoutSecrets(text, given.get(server) ?? []);
	}

	async function check(
		session: string,
		config: McpServerConfig,
		state: (state: McpState) => void,
		signal: AbortSignal,
	): ReturnType<ConnectionParts["permit"]> {
		await approve(session, config, state);
		signal.throwIfAborted();
		const used = (value: string): void => void given.set(config.id, (given.get(config.id) ?? new Set()).add(value));
		const values =
			"url" in config
				? await withSecrets(config.headers ?? {}, host.secret, "header", used)
				: await withSecrets(config.env ?? {}, host.secret, "variable", used);
		return {
			config: "url" in config ? config : { ...config, args: argumentsIn(config, folder()) },
			values,
			cwd: ("url" in config ? undefined : config.cwd) ?? home(),
			processes,
			signIn: "url" in config ? await signInFor(config, config.url) : undefined,
			output: (line) => output(config.id, hide(config.id, line)),
		};
	}

	async function approve(session: string, config: McpServerConfig, state: (state: McpState) => void): Promise<void> {
		const [hash, before] = [serverHash(config), await host.approvedAs(config.id)];
		if (before === hash) return;
		const refusal = [config.id, session, hash].join(" ");
		const no = (): Error =>
			new Error(t("you have not allowed it. Send a message in a new session, or try the server by hand, to be asked again"));
		if (declined.has(refusal)) throw no();
		state("approval");
		if (await once(`${config.id} ${hash}`, () => host.approveServer(summaryOf(config, before)))) return;
		declined.add(refusal);
		throw no();
	}

	async function signInFor({ id: server, name, signIn: own }: { id: string; name: string } & McpAddress, address: string): Promise<SignIn> {
		const secret = own?.clientSecret === undefined ? {} : await withSecrets({ clientSecret: own.clientSecret }, host.secret);
		const key = JSON.stringify([server, address, own?.clientId, secret]);
		const { signInOf } = await import("./open.ts");
		const url = new URL(address);
		const known = signIns.get(key);
		if (known) return known;
		const signIn = signInOf({
			url,
			// Bound to the address: a token of one server is never shown to another that takes its id.
			store: {
				get: async () => {
					const kept = (await host.tokens.get(server)) ?? "";
					return kept.startsWith(`${url.href}\n`) ? kept.slice(url.href.length + 1) : undefined;
				},
				set: (value) => host.tokens.set(server, value === undefined ? undefined : `${url.href}\n${value}`),
			},
			openUrl: host.openUrl,
			reachUnchecked: async (origin) => (await host.reachUnchecked?.({ id: server, name }, origin)) ?? false,
			reachedAt: async (address) => (await host.reachedAt?.(address)) ?? address,
			network,
			waiting: (waits) => waiting(server, waits),
			patience: patience.person,
			...(own && { client: { clientId: own.clientId, ...secret } }),
		});
		signIns.set(key, signIn);
		return signIn;
	}

	return {
		check,
		hide,
		/** The person wants to be asked again. */
		forget(server: string): void {
			for (const key of [...declined]) if (key.startsWith(`${server} `)) declined.delete(key);
			host.log(`MCP server ${cleanLine(server, 80)}: stopped by hand`);
		},
	};
}
