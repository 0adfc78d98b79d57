// Checks a page with axe, in the page itself.

// Otherwise axe opens a second page for each check, to put together what it found in several frames: ours have one.
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** The levels of headings in an answer are its author's choice. */
const RULES_OF_CONTENT = ["heading-order"];

/** Every rule but those of content. */
export function checkPage(page: Page): Promise<Violations> {
	return violationsOf(page, (axe) => axe.disableRules(RULES_OF_CONTENT));
}

/** Every rule, in a part of the page. */
export function checkPart(page: Page, selector: string): Promise<Violations> {
	return violationsOf(page, (axe) => axe.include(selector));
}

type Violations = Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"];

async function violationsOf(page: Page, choose: (axe: AxeBuilder) => AxeBuilder): Promise<Violations> {
	assert.equal(page.frames().length, 1, "there is a frame that this check would leave out");
	const { violations } = await choose(new AxeBuilder({ page }).setLegacyMode()).analyze();
	return violations;
}
