// Parses a SKILL.md file: YAML front matter, then instructions.

// File content is untrusted: its length is limited, and it is sanitized for display.
import * as z from "zod";
import { toOneLine } from "../core/hiddenText.ts";
import { t } from "../shared/l10n.ts";
import { MAX_FRONT_MATTER, parseFrontMatter, splitFrontMatter } from "../shared/node/frontMatter.ts";

export interface SkillText {
	name: string;
	description: string;
	body: string;
	byModel: boolean;
	byPerson: boolean;
	notes: string[];
}

export const SKILL_NAME = /^[a-z0-9-]{1,64}$/;
/** Maximum characters of a description that are used. */
const DESCRIPTION_LIMIT = 1_024;

const Frontmatter = z.object({
	name: z.string(),
	description: z.string(),
	"allowed-tools": z.unknown().optional(),
	"disable-model-invocation": z.boolean().nullish(),
	"user-invocable": z.boolean().nullish(),
	"user-invokable": z.boolean().nullish(),
});

/** `folder` is the skill folder's name, which must equal the skill's name. */
export async function parseSkillText(text: string, folder: string): Promise<SkillText | { problem: string }> {
	const parts = splitFrontMatter(text);
	if (!parts) return { problem: t("SKILL.md doesn't start with front matter between two --- lines.") };
	const head = await parseFrontMatter(parts.head);
	if ("problem" in head) {
		if (head.problem === "long") return { problem: t("The front matter of SKILL.md is larger than {0} KB.", MAX_FRONT_MATTER) };
		if (head.problem === "aliases") return { problem: t("The front matter of SKILL.md uses YAML aliases, which aren't supported.") };
		return { problem: t("The front matter of SKILL.md isn't valid YAML: {0}", head.detail) };
	}
	const read = Frontmatter.safeParse(head.value);
	if (!read.success) {
		const [issue] = read.error.issues;
		return { problem: t("The field {0} in SKILL.md is missing or not valid: {1}", issue?.path.join(".") || "name", issue?.message ?? "") };
	}
	const { name } = read.data;
	const description = toSingleLine(read.data.description);
	if (!SKILL_NAME.test(name)) return { problem: t("The name must be 1 to 64 characters: a-z, 0-9, and -.") };
	if (name !== folder)
		return { problem: t("The skill is named {0}, but its folder is named {1}. The names must match.", name, toSingleLine(folder)) };
	if (description === "") return { problem: t("The description is missing. Agents need it to know when to use the skill.") };
	const notes: string[] = [];
	const bounded = [...description].slice(0, DESCRIPTION_LIMIT).join("");
	if (bounded !== description) notes.push(t("Only the first {0} characters of the description are used.", DESCRIPTION_LIMIT));
	if (read.data["allowed-tools"]) notes.push(t("The allowed-tools field is ignored. Your rules and approvals decide what can run."));
	return {
		name,
		description: bounded,
		body: parts.body.trim(),
		byModel: read.data["disable-model-invocation"] !== true,
		byPerson: (read.data["user-invocable"] ?? read.data["user-invokable"]) !== false,
		notes,
	};
}

/** Returns one line without invisible characters. */
export function toSingleLine(text: string): string {
	return toOneLine(text, "selectors");
}
