// The browser that tests start disables what Playwright disables, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { disabledFeatures } from "../../../scripts/browser.mjs";

it("the list of disabled features holds every one that Playwright disables, because it takes the place of Playwright's", () => {
	const source = readFileSync("node_modules/playwright-core/lib/coreBundle.js", "utf8");
	const list = /\bdisabledFeatures = \[(.*?)\]/s.exec(source)?.[1] ?? "";
	const theirs = [...list.matchAll(/^\s*"(\w+)"/gm)].map(([, name]) => name ?? "");
	assert.ok(theirs.length > 10, "the list is where this test looks for it");
	assert.deepEqual(
		theirs.filter((name) => !disabledFeatures.includes(name)),
		[],
	);
});
