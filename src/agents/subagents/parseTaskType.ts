// Parses a SUBAGENT.md: front matter with the type's limits, then the prompt of its tasks.
import * as z from "zod";
import { toOneLine } from "../../core/hiddenText.ts";
import type { ScopeLists } from "../../core/ports/gate.ts";
import { PERMISSIONS } from "../../core/role.ts";
import type { TaskType } from "../../core/task.ts";
import { formatNumber, t } from "../../shared/l10n.ts";
import { splitFrontMatter } from "../../shared/node/frontMatter.ts";
import { stripHiddenCharacters } from "../../shared/safeText.ts";
import { decodeUtf8 } from "../../shared/utf8.ts";
import { issueMessage } from "../agentSchema.ts";
import { taskRole } from "../builtinRoles.ts";
import { fullName, truncateForDisplay } from "../definitions.ts";
import { parseHead } from "../markdownDefinitions.ts";
import { builtinTaskTypes } from "./builtinTypes.ts";

export type ParsedTaskType = { type: TaskType; notes: readonly string[] } | { problem: string; line?: number };

/** Maximum bytes of the file. */
const MAX_BYTES = 64 * 1024;
/** Maximum characters of the description that are used. */
const MAX_DESCRIPTION = 1_024;
const MOST_STEPS = 10_000;

const steps = t("Must be a whole number from {0} to {1}", 1, formatNumber(MOST_STEPS));

/** An empty list of permissions or tools is one; an empty field is not, because it may mean either. */
const HeadSchema = z.object({
	name: z.string().regex(/^[a-z0-9-]{1,59}$/, t("The name must be 1 to {0} characters: a-z, 0-9, and -", 59)),
	description: z.string(),
	permissions: z.array(z.enum(PERMISSIONS)).optional(),
	tools: z.array(z.string()).optional(),
	model: z.string().min(1, t("Must not be empty")).nullish(),
	maxSteps: z.int(steps).min(1, steps).max(MOST_STEPS, steps).nullish(),
});

/** `folder`: name of the file's folder, which must equal the type's name. */
export async function parseTaskType(
	bytes: Uint8Array,
	folder: string,
	source: TaskType["source"],
	scopeLists: ScopeLists,
): Promise<ParsedTaskType> {
	if (bytes.length > MAX_BYTES) return { problem: t("The file is larger than {0} KB.", MAX_BYTES / 1024) };
	const text = decodeUtf8(bytes);
	if (text === undefined) return { problem: t("The file isn't valid UTF-8") };
	const parts = splitFrontMatter(text);
	if (!parts) return { problem: t("No front matter"), line: 1 };
	const parsed = await parseHead(parts.head);
	if ("problem" in parsed) return parsed;
	const { head, lineOf } = parsed;
	const at = (field: string, problem: string): ParsedTaskType => {
		const line = lineOf(field);
		return { problem: t("{0}: {1}", truncateForDisplay(field), problem), ...(line !== undefined && { line }) };
	};
	const notes: string[] = [];
	for (const field of Object.keys(head).filter((name) => !Object.hasOwn(HeadSchema.shape, name))) {
		const meant = MISSPELLED.find(({ looks }) => looks.test(field))?.meant;
		if (meant) return at(field, t("Unknown field (did you mean {0}?)", meant));
		notes.push(t("Unknown field {0} is ignored.", truncateForDisplay(field)));
	}
	for (const field of ["name", "description"]) {
		if ((head[field] ?? "") === "") return at(field, t("Required field is missing"));
	}
	const read = HeadSchema.safeParse(head);
	const [issue] = read.error?.issues ?? [];
	if (issue) return at(String(issue.path[0]), issueMessage(issue));
	if (!read.success) return { problem: t("The front matter must be an object") };
	const { name, permissions, tools, model, maxSteps } = read.data;
	if (name !== folder) return at("name", t("The name must be the same as that of its folder, {0}", truncateForDisplay(folder)));
	const description = toOneLine(read.data.description, "selectors");
	if (description === "") return at("description", t("Contains invisible characters or line breaks"));
	const report = tools && scopeLists.inspect(tools, "allow");
	const excess = report?.refused ?? report?.excess[0]?.reason;
	if (excess !== undefined) return at("tools", excess);
	for (const { index, reason } of report?.unusable ?? [])
		notes.push(
			t("Invalid pattern “{1}” in {0}: {2}. The pattern matches nothing.", "tools", truncateForDisplay(tools?.[index] ?? ""), reason),
		);
	const body = parts.body.replace(/\r\n?/g, "\n").trim();
	const prompt = stripHiddenCharacters(body).trim();
	if (prompt === "") return { problem: t("No prompt below the front matter") };
	if (prompt !== body) notes.push(t("Invisible characters in the prompt are left out."));
	// One that replaces a built-in type checks its answer if that does.
	const { reflects } = builtinTaskTypes.find((builtin) => builtin.name === name) ?? { reflects: true as const };
	const type = {
		name,
		description: [...description].slice(0, MAX_DESCRIPTION).join(""),
		source,
		role: taskRole(permissions),
		...(reflects && { reflects }),
		prompt,
		...(permissions && { permissions }),
		...(tools && { tools }),
		...(model && { model: fullName(model) }),
		...(maxSteps && { maxSteps }),
	};
	return { type, notes };
}

/** Unknown fields that would remove a limit if they were ignored. */
const MISSPELLED = [
	{ looks: /perm/i, meant: "permissions" },
	{ looks: /step|turn|max/i, meant: "maxSteps" },
	{ looks: /tool|allow|den[iy]/i, meant: "tools" },
];
