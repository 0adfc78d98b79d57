// Validates the settings. Invalid values are reported and ignored; an invalid rule list blocks all changes.
import { homedir } from "node:os";
import * as z from "zod";
import { builtinRoles } from "../agents/builtinRoles.ts";
import { parseRoles } from "../agents/roleDefinitions.ts";
import { strictestMode } from "../core/grant.ts";
import { hasControl } from "../core/hiddenText.ts";
import type { ApprovalMode, Role } from "../core/role.ts";
import { type McpServerSettings, parseMcpServers } from "../mcp/settings.ts";
import { EDITOR_PROVIDER_ID, OFFLINE_MODEL } from "../models/selection/modelSelection.ts";
import { PROVIDER_PRESETS } from "../models/selection/providerPresets.ts";
import { type ProviderSetting, ProviderSettingSchema } from "../models/selection/providerSettings.ts";
import type { Settings } from "../session/services.ts";
import { t } from "../shared/l10n.ts";
import { parseDelegation, parseTasks } from "./limits.ts";
import { parsePersona } from "./persona.ts";

/** Unvalidated values from the editor. */
export interface RawSettings {
	model: unknown;
	maxSteps: unknown;
	providers: unknown;
	roleModels: unknown;
	agents: unknown;
	roles: unknown;
	mcpServers: unknown;
	approval: unknown;
	/** Upper limits for every session: a machine setting, and a policy for `approval`; undefined if there is none. */
	approvalLimit?: unknown;
	approvalPolicy?: unknown;
	readingCommands: unknown;
	permissions: unknown;
	environment: unknown;
	shell: unknown;
	sandbox: unknown;
	sandboxWritable: unknown;
	defaultRole: unknown;
	delegation: unknown;
	tasks: unknown;
	persona: unknown;
	/** Ids of plugins disabled in any scope. */
	disabledPlugins: string[];
}

export interface TroupeSettings extends Settings {
	model: string;
	/** Role id → `provider/model`. */
	roleModels: Record<string, string>;
	providers: Record<string, ProviderSetting>;
	/** Unvalidated entries; the registry validates them. */
	agents: unknown[];
	/** Includes the built-in roles. */
	roles: Role[];
	environment: string[];
	/** Path of the bash that runs commands; "" to find it automatically. */
	shell: string;
	/** Folders outside the workspace that sandboxed commands may write, absolute or starting with `~/`. */
	sandboxWritable: string[];
	mcpServers: McpServerSettings;
	/** One sentence for each invalid setting. */
	problems: string[];
}

const rules = z.array(z.string().min(1)).default([]);
const RulesSchema = z.object({ deny: rules, ask: rules, allow: rules }).strict();

const ModeSchema = z.enum(["ask", "plan", "edits", "auto"]);

export function parseSettings(raw: RawSettings): TroupeSettings {
	const problems: string[] = [];
	const read = <T>(key: keyof RawSettings, schema: z.ZodType<T>, fallback: T): T => {
		const parsed = schema.safeParse(raw[key]);
		if (parsed.success) return parsed.data;
		problems.push(describeIssue(key, parsed.error));
		return fallback;
	};
	const readRoles = (): Role[] => {
		const checked = parseRoles(read("roles", z.array(z.unknown()), []));
		problems.push(...checked.problems.map((problem) => t("Setting {0}: {1}", "troupe.roles", problem)));
		return checked.roles;
	};
	const permissions = RulesSchema.safeParse(raw.permissions ?? {});
	if (!permissions.success)
		problems.push(`${describeIssue("permissions", permissions.error)} ${t("Troupe can't make changes until you fix this setting.")}`);
	const roles = readRoles();
	const [initial] = builtinRoles;
	const role = read("defaultRole", z.string(), initial.id);
	const { problems: serverProblems, ...mcpServers } = parseMcpServers(raw.mcpServers);
	problems.push(...serverProblems);
	const delegation = parseDelegation(raw.delegation);
	const tasks = parseTasks(raw.tasks);
	const { persona, problems: personaProblems } = parsePersona(raw.persona);
	problems.push(...delegation.problems, ...tasks.problems, ...personaProblems);
	const known = roles.some(({ id }) => id === role);
	if (!known) {
		const choices = roles.map(({ id }) => id).join(", ");
		problems.push(
			t("The role “{0}” in troupe.defaultRole doesn't exist. New sessions start as {1}. Available roles: {2}.", role, initial.id, choices),
		);
	}
	return {
		model: String(raw.model ?? "auto"),
		roleModels: read("roleModels", z.record(z.string(), z.string()), {}),
		providers: Object.fromEntries(
			Object.entries(read("providers", z.record(z.string(), z.unknown()), {})).flatMap(([id, value]) => {
				const parsed = ProviderSettingSchema.safeParse(value);
				const problem = parsed.success ? providerProblem(id, parsed.data) : describeIssue(`providers.${id}`, parsed.error);
				if (parsed.success && problem === undefined) return [[id, parsed.data]];
				if (problem !== undefined) problems.push(problem);
				return [];
			}),
		),
		agents: read("agents", z.array(z.unknown()), []),
		roles,
		approval: read("approval", ModeSchema, "ask"),
		approvalCeiling: strictestMode(read("approvalLimit", ModeSchema.default("auto"), "ask"), policyMode(raw.approvalPolicy)),
		readingCommands: read("readingCommands", z.enum(["allow", "ask"]), "ask"),
		rules: permissions.success ? permissions.data : { invalid: describeIssue("permissions", permissions.error) },
		defaultRole: known ? role : initial.id,
		delegation: delegation.limits,
		tasks: tasks.limits,
		persona,
		maxSteps: Math.max(1, Number(raw.maxSteps) || 100),
		pluginsOff: raw.disabledPlugins,
		environment: read("environment", z.array(z.string()), []),
		shell: read("shell", z.string(), ""),
		sandbox: read("sandbox", z.enum(["auto", "required", "off"]), "required"),
		sandboxWritable: read("sandboxWritable", z.array(z.string()), []).filter((path) => {
			const isValid = isFolderBelow(path);
			if (!isValid)
				problems.push(
					t(
						"The path “{1}” in the setting {0} is ignored. Specify a folder that isn't your home folder or one of its parent folders.",
						"troupe.sandboxWritable",
						path,
					),
				);
			return isValid;
		}),
		mcpServers,
		problems,
	};
}

/** An unknown policy value applies the strictest limit. */
function policyMode(policy: unknown): ApprovalMode {
	return policy === undefined ? "auto" : (ModeSchema.safeParse(policy).data ?? "ask");
}

/** A provider's problem that the schema cannot detect. */
function providerProblem(id: string, { type, baseUrl }: ProviderSetting): string | undefined {
	const key = `troupe.providers.${id}`;
	if ([OFFLINE_MODEL.provider, EDITOR_PROVIDER_ID, ""].includes(id) || id.includes("/")) {
		return t("The setting {0} is ignored because the provider name isn't allowed. Choose another name without a slash.", key);
	}
	if (type !== "openai-compatible" || baseUrl !== undefined || PROVIDER_PRESETS[id]?.type === type) return undefined;
	return t("The setting {0} is ignored because it has no baseUrl. Add a baseUrl, for example http://127.0.0.1:8000/v1.", key);
}

/** An absolute path, or one below the home folder, other than the home folder and its parents. */
function isFolderBelow(path: string): boolean {
	const plain =
		!hasControl(path) &&
		/^(?:~|(?:\/[^/]+)*)\/[^/]+(?:\/[^/]+)*$/.test(path) &&
		!path.split("/").some((part) => part === "." || part === "..");
	return plain && !`${homedir()}/`.startsWith(`${path}/`);
}

function describeIssue(key: string, error: z.ZodError): string {
	const [issue] = error.issues;
	const [name, why] = [`troupe.${key}`, issue?.message ?? ""];
	if (!issue?.path.length) return t("The setting {0} is invalid: {1}. The setting is ignored.", name, why);
	return t("The setting {0} is invalid at {1}: {2}. The setting is ignored.", name, issue.path.join("."), why);
}
