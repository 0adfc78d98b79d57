// Tests that the main agent's persona is checked, kept short, and safe to put in a prompt.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { PERSONA_FIELDS } from "../../../src/core/prompt.ts";
import { parsePersona } from "../../../src/settings/persona.ts";

describe("the persona of the main agent", () => {
	it("has the fields that are set, without hidden characters and blanks around them", () => {
		const raw = { name: " Mira ", role: "a careful assistant", style: "", background: "Likes\u200B tea.\nKnows the shop." };
		assert.deepEqual(parsePersona(raw), {
			persona: { name: "Mira", role: "a careful assistant", background: "Likes tea.\nKnows the shop." },
			problems: [],
		});
		assert.deepEqual(parsePersona(undefined), { persona: {}, problems: [] });
	});

	it("of 100 KB is cut, and says so", () => {
		const { persona, problems } = parsePersona({ background: "x".repeat(100_000), values: "🙂".repeat(400) });
		assert.equal(persona.background?.length, 2_000);
		assert.equal(persona.values, "🙂".repeat(250));
		assert.deepEqual(problems, [
			"The setting troupe.persona.values is longer than 500 characters. The rest is ignored.",
			"The setting troupe.persona.background is longer than 2,000 characters. The rest is ignored.",
		]);
	});

	it("is ignored where it is no text, or unknown, and says so", () => {
		assert.deepEqual(parsePersona("Mira").problems, ["The setting troupe.persona must be an object. The setting is ignored."]);
		assert.deepEqual(parsePersona({ name: 7, mood: "fine" }), {
			persona: {},
			problems: [
				"The setting troupe.persona.name must be a text. The setting is ignored.",
				"The field “mood” of the setting troupe.persona is unknown and ignored. Known fields: name, role, personality, style, values, background.",
			],
		});
	});

	it("has the same fields and limits in the settings editor", () => {
		const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as {
			contributes: { configuration: { properties: Record<string, { properties?: Record<string, { maxLength: number }> }> }[] };
		};
		const declared = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties))["troupe.persona"].properties;
		assert.deepEqual(Object.keys(declared), [...PERSONA_FIELDS]);
		for (const field of PERSONA_FIELDS) {
			assert.equal(parsePersona({ [field]: "x".repeat(100_000) }).persona[field]?.length, declared[field].maxLength, field);
		}
	});
});
