// The person's settings, checked. What is not valid is named and has no effect; an invalid rule list closes the gate.
import * as vscode from "vscode";
import * as z from "zod";
import type { Settings } from "../app/services.ts";
import type { AgentDefinition, Role } from "../core/permissions.ts";
import { PERMISSIONS } from "../core/permissions.ts";

const globs = z.array(z.string()).nullish();

const AgentSchema = z.preprocess(
	(value) =>
		isRecord(value) ? { ...value, agentId: value["agentId"] ?? value["id"], displayName: value["displayName"] ?? value["name"] } : value,
	z.object({
		agentId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
		displayName: z.string().min(1),
		description: z.string().nullish(),
		systemPrompt: z.string().nullish(),
		model: z.string().nullish(),
		icon: z.string().nullish(),
		color: z.string().nullish(),
		toolAllowlist: globs,
		toolDenylist: globs,
		skillAllowlist: globs,
		skillDenylist: globs,
		capabilityAllowlist: globs,
		capabilityDenylist: globs,
		agentAllowlist: globs,
		agentDenylist: globs,
	}),
);

const RoleSchema = z.object({
	id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
	label: z.string().min(1),
	permissions: z.array(z.enum(PERMISSIONS)),
	ceiling: z.array(z.enum(PERMISSIONS)).optional(),
	prompt: z.string(),
	icon: z.string().optional(),
});

const ProviderSchema = z.object({
	type: z.enum(["openai", "openai-compatible", "anthropic"]),
	baseUrl: z.url({ protocol: /^https?$/ }).optional(),
	api: z.enum(["responses", "chat"]).optional(),
	apiKeyEnv: z.string().optional(),
	headers: z.record(z.string(), z.string()).optional(),
	models: z.array(z.string()).optional(),
});

const rules = z.array(z.string().min(1)).default([]);
const RulesSchema = z.object({ deny: rules, ask: rules, allow: rules }).strict();

export type ProviderSetting = z.infer<typeof ProviderSchema>;

export interface TroupeSettings extends Settings {
	model: string;
	providers: Record<string, ProviderSetting>;
	agents: AgentDefinition[];
	roles: Role[];
	environment: string[];
	/** One sentence for each setting that is not valid. */
	problems: string[];
}

export function readSettings(): TroupeSettings {
	const problems: string[] = [];
	const configuration = vscode.workspace.getConfiguration("troupe");
	/** A machine-scoped value: what a workspace says of it does not count, whatever the editor makes of it. */
	const own = (key: string): unknown => {
		const found = configuration.inspect(key);
		return found?.globalValue ?? found?.defaultValue;
	};
	const read = <T>(key: string, schema: z.ZodType<T>, fallback: T): T => {
		const parsed = schema.safeParse(own(key));
		if (parsed.success) return parsed.data;
		problems.push(complaint(key, parsed.error));
		return fallback;
	};
	const each = <T>(key: string, schema: z.ZodType<T>): T[] =>
		read(key, z.array(z.unknown()), []).flatMap((entry, index) => {
			const parsed = schema.safeParse(entry);
			if (parsed.success) return [parsed.data];
			problems.push(complaint(`${key}[${index}]`, parsed.error));
			return [];
		});
	const permissions = RulesSchema.safeParse(own("permissions") ?? {});
	if (!permissions.success) problems.push(`${complaint("permissions", permissions.error)} Until it is mended, nothing may be changed.`);
	return {
		model: String(configuration.get("model") ?? "auto"),
		providers: Object.fromEntries(
			Object.entries(read("providers", z.record(z.string(), z.unknown()), {})).flatMap(([id, value]) => {
				const parsed = ProviderSchema.safeParse(value);
				if (parsed.success) return [[id, parsed.data]];
				problems.push(complaint(`providers.${id}`, parsed.error));
				return [];
			}),
		),
		agents: each("agents", AgentSchema).map(withoutNull) as unknown as AgentDefinition[],
		roles: each("roles", RoleSchema).map(withoutNull) as unknown as Role[],
		approval: read("approval", z.enum(["ask", "plan", "edits", "auto"]), "ask"),
		rules: permissions.success ? permissions.data : { invalid: complaint("permissions", permissions.error) },
		defaultRole: read("defaultRole", z.string(), "planner"),
		maxSteps: Math.max(1, Number(configuration.get("maxSteps")) || 100),
		pluginsOff: pluginsOff(configuration),
		environment: read("environment", z.array(z.string()), []),
		problems,
	};
}

/** Off where the person says so; a workspace can only switch off. */
function pluginsOff(configuration: vscode.WorkspaceConfiguration): string[] {
	const found = configuration.inspect<Record<string, boolean>>("plugins");
	const off = (value: unknown): string[] => (isRecord(value) ? Object.keys(value).filter((plugin) => value[plugin] === false) : []);
	return [...new Set([...off(found?.globalValue), ...off(found?.workspaceValue), ...off(found?.workspaceFolderValue)])];
}

function complaint(key: string, error: z.ZodError): string {
	const [issue] = error.issues;
	const where = issue?.path.length ? ` at ${issue.path.join(".")}` : "";
	return `The setting troupe.${key} is not valid${where}: ${issue?.message ?? "unknown"}. It has no effect.`;
}

function withoutNull(value: object): object {
	return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null && part !== undefined));
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
