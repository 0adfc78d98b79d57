// Tests that the skill list stays within its share of the context window.
import assert from "node:assert/strict";
import { formatSkillList, listingBudget } from "../../../src/skills/library.ts";

describe("the list of skills", () => {
	it("has every description whole where there is room", () => {
		const skills = [
			{ name: "release-notes", description: "Writes release notes." },
			{ name: "triage", description: "Sorts issues." },
		];
		assert.equal(formatSkillList(skills, 1_000), "- release-notes: Writes release notes.\n- triage: Sorts issues.");
	});

	it("cuts the longest descriptions first", () => {
		const skills = [
			{ name: "long", description: "x".repeat(500) },
			{ name: "short", description: "Sorts issues." },
		];
		const list = formatSkillList(skills, 200);
		assert.match(list, /^- long: x+…$/m);
		assert.match(list, /^- short: Sorts issues\.$/m);
		assert.ok(Buffer.byteLength(list) > 190, "the room is used");
	});

	it("falls back to names, and then to a count", () => {
		const skills = Array.from({ length: 40 }, (_, index) => ({ name: `skill-number-${index}`, description: "About things of all kinds." }));
		assert.equal(formatSkillList(skills.slice(0, 3), 70), "- skill-number-0\n- skill-number-1\n- skill-number-2");
		assert.equal(formatSkillList(skills, 50), "- skill-number-0\n- skill-number-1\n(38 more)");
		assert.equal(formatSkillList(skills, 5), "");
	});

	it("never takes more than two hundredths of the window, nor half a character", () => {
		let seed = 7;
		const random = (below: number) => {
			seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
			return seed % below;
		};
		const letters = ["a", " ", "ü", "語", "👩‍🚀", "🦀"];
		for (let round = 0; round < 2_000; round += 1) {
			const skills = Array.from({ length: random(60) }, (_, index) => ({
				name: `s${index}-${"n".repeat(random(40))}`,
				description: Array.from({ length: random(random(2) ? 900 : 30) }, () => letters[random(letters.length)]).join(""),
			}));
			const budget = listingBudget([undefined, 4_096, 8_192, 32_768, 200_000][random(5)]);
			const list = formatSkillList(skills, budget);
			assert.ok(Buffer.byteLength(list) <= budget, `${Buffer.byteLength(list)} > ${budget}`);
			assert.ok(!/\p{Cs}/u.test(list), "half a character");
			assert.equal(formatSkillList(skills, budget), list);
		}
	});
});
