// Validates each MCP server in the settings; an invalid one is reported without affecting others.
import * as z from "zod";
import { isPlainAddress } from "../core/hiddenText.ts";
import type { McpServerConfig } from "../core/ports/mcp.ts";
import { t } from "../shared/l10n.ts";
import { visibleText } from "../shared/safeText.ts";
import { catalog } from "./catalog.ts";
import { resolveConfig } from "./stdioTransport.ts";

export interface McpServerSettings {
	/** Servers in the order of the settings. */
	servers: readonly McpServerConfig[];
	/** All configured IDs, valid or not; they hide the catalog's entries of the same ID. */
	ids: readonly string[];
}

/** IDs of our plugins, and others that could be mistaken for ours. */
export const RESERVED_SERVER_IDS = [
	...["files", "terminal", "web", "plan", "agents", "artifacts", "notes", "lists", "views", "panels", "skills", "vscode"],
	...["mcp", "system", "troupe", "offline", "workspace", "user"],
];

/** Leaves room for the tool's name: `mcp__id__tool` has at most 64 characters. */
const LONGEST_ID = 32;
const MOST_SERVERS = 200;

export function parseMcpServers(raw: unknown): McpServerSettings & { problems: string[] } {
	const problems: string[] = [];
	if (raw === undefined || raw === null) return { servers: [], ids: [], problems };
	if (typeof raw !== "object" || Array.isArray(raw)) {
		return {
			servers: [],
			ids: [],
			problems: [t("The setting {0} is ignored. The value must be an object that maps IDs to servers.", KEY)],
		};
	}
	const entries = Object.entries(raw);
	const servers = entries.slice(0, MOST_SERVERS).flatMap(([id, value]): McpServerConfig[] => {
		const checked = checkServer(id, value);
		if ("config" in checked) return [checked.config];
		problems.push(t("The MCP server {0} is ignored: {1}.", `${KEY}.${visibleText(id.slice(0, 80))}`, checked.problem));
		return [];
	});
	if (entries.length > MOST_SERVERS) problems.push(t("Only the first {1} servers in {0} are used.", KEY, MOST_SERVERS));
	return { servers, ids: entries.map(([id]) => id), problems };
}

const KEY = "troupe.mcpServers";

function checkServer(id: string, value: unknown): { config: McpServerConfig } | { problem: string } {
	const wrongId = problemOfId(id);
	if (wrongId !== undefined) return { problem: wrongId };
	if (typeof value !== "object" || value === null || Array.isArray(value)) return { problem: t("Must be an object") };
	if ("command" in value && "url" in value) return { problem: t("Specify either command or url, not both") };
	if (!("command" in value) && !("url" in value)) return { problem: t("Specify a command or a url") };
	const parsed = ("command" in value ? ProgramSchema : AddressSchema).safeParse(value);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		const why = (issue?.code === "invalid_key" ? issue.issues[0]?.message : undefined) ?? issue?.message ?? "";
		return { problem: issue?.path.length ? `${visibleText(issue.path.join("."))}: ${why}` : why };
	}
	const given = Object.fromEntries(Object.entries(parsed.data).filter(([, part]) => part !== undefined));
	return { config: { name: id, ...given, id, source: "settings" } as McpServerConfig };
}

function problemOfId(id: string): string | undefined {
	if (!/^[A-Za-z0-9_-]+$/.test(id) || id.length > LONGEST_ID) {
		return t("An ID must be 1 to {0} letters, digits, - or _", LONGEST_ID);
	}
	// Otherwise `mcp__a__b` could belong to two servers.
	if (id.includes("__") || id.startsWith("_") || id.endsWith("_")) return t("An ID can't start or end with _ or contain two consecutive _");
	return RESERVED_SERVER_IDS.includes(id.toLowerCase()) ? t("This ID is reserved by Troupe") : undefined;
}

/** Seconds. */
const LONGEST_CALL = 3_600;
const WRONG_TIME = t("Must be a number of seconds greater than 0 and no more than {0}", LONGEST_CALL);

const PLACE = `\${secret:NAME}`;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Only `${secret:NAME}` is a placeholder; any other would be sent literally, so it is rejected. */
const Valued = z
	.string()
	.max(8_192)
	.refine((text) => !/[\0\r\n]/.test(text), t("Contains a line break"))
	.refine(
		(text) => [...text.matchAll(/\$\{([^{}]*)\}?/g)].every(([whole, inner = ""]) => whole.endsWith("}") && namesSecret(inner)),
		t("Only {0} is supported as a placeholder", PLACE),
	);

/** Values visible to other programs. */
const Plain = z
	.string()
	.max(8_192)
	.refine((text) => !text.includes("\0"), t("Contains a character that isn't allowed"))
	.refine((text) => !text.includes("${secret:"), t("Secrets are only allowed in env and headers"));

const common = {
	name: z.string().trim().min(1).max(80).optional(),
	description: z.string().max(1_000).optional(),
	timeout: z.number(WRONG_TIME).positive(WRONG_TIME).max(LONGEST_CALL, WRONG_TIME).optional(),
};

const ProgramSchema = z.strictObject({
	...common,
	command: Plain.refine((text) => text.trim() !== "", t("Must not be empty")),
	args: z.array(Plain).max(200).optional(),
	env: z.record(z.string().regex(/^[^=\0\s]{1,200}$/, t("Invalid variable name")), Valued).optional(),
	cwd: Plain.refine((text) => text.trim() !== "", t("Must not be empty")).optional(),
});

const AddressSchema = z.strictObject({
	...common,
	url: Plain.refine(isAddress, t("Must be an http or https URL without a user name and password")),
	headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, t("Invalid header name")), Valued).optional(),
	signIn: z
		.strictObject({ clientId: Plain.refine((text) => text.trim() !== "", t("Must not be empty")), clientSecret: Valued.optional() })
		.optional(),
});

function isAddress(text: string): boolean {
	if (!URL.canParse(text) || !isPlainAddress(text)) return false;
	const { protocol, username, password } = new URL(text);
	return /^https?:$/.test(protocol) && username === "" && password === "";
}

function namesSecret(inner: string): boolean {
	return inner.startsWith("secret:") && NAME.test(inner.slice("secret:".length));
}

/** Names of the secrets that a server uses. */
export function referencedSecrets(config: McpServerConfig): string[] {
	const values = "url" in config ? { ...config.headers, signIn: config.signIn?.clientSecret ?? "" } : config.env;
	const found = Object.values(values ?? {}).flatMap((text) => [...text.matchAll(/\$\{secret:([A-Za-z0-9_-]{1,64})\}/g)]);
	return [...new Set(found.map(([, name = ""]) => name))];
}

/**
 * The user's servers come first, and hide catalog entries with the same ID, valid or not. `off`: disabled plugin IDs; `folder`:
 * the workspace's.
 */
export function enabledMcpServers(
	{ servers, ids: taken }: McpServerSettings,
	off: readonly string[],
	folder: string,
): readonly McpServerConfig[] {
	const all = [...servers, ...catalog.filter(({ id }) => !taken.includes(id))];
	return all.filter(({ id }) => !off.includes(id)).map((config) => resolveConfig(config, folder));
}

/** IDs of all configured servers, including invalid ones and those disabled in this workspace. */
export function allMcpServerIds({ ids: taken }: McpServerSettings): string[] {
	return [...taken, ...catalog.map(({ id }) => id)];
}
