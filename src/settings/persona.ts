// Validates the setting for the main agent's persona, and limits its length.
import { isRecord } from "../core/isRecord.ts";
import { PERSONA_FIELDS, type Persona, type PersonaField } from "../core/prompt.ts";
import { formatNumber, t } from "../shared/l10n.ts";
import { sanitizeForPrompt } from "../shared/safeText.ts";

const KEY = "troupe.persona";

/** Maximum characters; every request to a model carries them. Same in package.json. */
const LONGEST: Readonly<Record<PersonaField, number>> = {
	name: 80,
	role: 200,
	personality: 500,
	style: 500,
	values: 500,
	background: 2_000,
};

/** `problems`: one displayable sentence for each invalid field and each unknown one. */
export function parsePersona(raw: unknown): { persona: Persona; problems: string[] } {
	if (raw === undefined) return { persona: {}, problems: [] };
	if (!isRecord(raw)) return { persona: {}, problems: [t("The setting {0} must be an object. The setting is ignored.", KEY)] };
	const problems: string[] = [];
	const read = (field: PersonaField): [PersonaField, string][] => {
		const value = raw[field] ?? "";
		const [key, most] = [`${KEY}.${field}`, LONGEST[field]];
		if (typeof value !== "string") {
			problems.push(t("The setting {0} must be a text. The setting is ignored.", key));
			return [];
		}
		const text = sanitizeForPrompt(value.slice(0, most * 2)).trim();
		if (value.length > most)
			problems.push(t("The setting {0} is longer than {1} characters. The rest is ignored.", key, formatNumber(most)));
		return text === "" ? [] : [[field, [...text.slice(0, most)].join("")]];
	};
	const persona: Persona = Object.fromEntries(PERSONA_FIELDS.flatMap(read));
	for (const name of Object.keys(raw).filter((name) => !PERSONA_FIELDS.some((field) => field === name))) {
		problems.push(t("The field “{0}” of the setting {1} is unknown and ignored. Known fields: {2}.", name, KEY, PERSONA_FIELDS.join(", ")));
	}
	return { persona, problems };
}
