// Validates user-defined roles and adds them to the built-in ones; reports and omits invalid roles.

import * as z from "zod";
import { isRecord } from "../core/isRecord.ts";
import { PERMISSIONS, type Role } from "../core/role.ts";
import { t } from "../shared/l10n.ts";
import { AGENT_ID_PATTERN } from "./agentSchema.ts";
import { builtinRoles, withActingRole } from "./builtinRoles.ts";

export interface ParsedRoles {
	/** Built-in roles first, then user-defined ones in order. */
	roles: Role[];
	/** One sentence for each omitted definition. */
	problems: string[];
}

const RoleSchema = z.strictObject({
	id: z.string().regex(AGENT_ID_PATTERN, t("An ID must be 1 to 64 letters, digits, - or _")),
	label: z.string().min(1),
	permissions: z.array(z.enum(PERMISSIONS)),
	ceiling: z.array(z.enum(PERMISSIONS)).optional(),
	prompt: z.string(),
	icon: z.string().optional(),
	model: z.string().optional(),
});

/** Parses the entries of `troupe.roles`. */
export function parseRoles(entries: readonly unknown[]): ParsedRoles {
	const all = [...builtinRoles];
	const reserved = new Set(builtinRoles.map(({ id }) => id));
	const taken = new Set(reserved);
	const problems: string[] = [];
	for (const [index, entry] of entries.entries()) {
		const parsed = parseRole(entry);
		if ("problem" in parsed) {
			problems.push(t("{0} is ignored: {1}.", nameOf(entry, index), parsed.problem));
		} else if (taken.has(parsed.role.id)) {
			const why = reserved.has(parsed.role.id) ? t("This ID is used by a built-in role") : t("This ID is already used by an earlier role");
			problems.push(t("{0} is ignored: {1}.", nameOf(entry, index), why));
		} else {
			all.push(parsed.role);
			taken.add(parsed.role.id);
		}
	}
	return { roles: all, problems };
}

function parseRole(entry: unknown): { role: Role } | { problem: string } {
	if (!isRecord(entry)) return { problem: t("Must be an object") };
	const filled = Object.fromEntries(Object.entries(entry).filter(([, part]) => part !== null && part !== undefined));
	const parsed = RoleSchema.safeParse(filled);
	if (parsed.success) return { role: withActingRole(parsed.data as Role) };
	const [issue] = parsed.error.issues;
	const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
	return { problem: `${where}${issue?.message ?? t("Invalid value")}` };
}

/** Identifies an entry as it appears in the settings. */
function nameOf(entry: unknown, index: number): string {
	const id = isRecord(entry) ? entry["id"] : undefined;
	return typeof id === "string" && id !== "" ? t("“{0}” (entry {1})", id.slice(0, 64), index + 1) : t("Entry {0}", index + 1);
}
