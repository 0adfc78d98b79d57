// The tests of the chat panel in Chromium. `node test/ui/run.mjs [words of a name]`; `--pictures` adds those of the
// harness. Prints "N passed, N failed".
import { agentPicker } from "./agentPicker.mjs";
import { agentsAttacks } from "./agentsAttack.mjs";
import { agentsDrafts } from "./agentsDrafts.mjs";
import { agentsPage } from "./agentsPage.mjs";
import { attacks } from "./attack.mjs";
import { behaviour } from "./behaviour.mjs";
import { cards } from "./cards.mjs";
import { cardTexts } from "./cardTexts.mjs";
import { composer } from "./composer.mjs";
import { earlyTyping } from "./earlyTyping.mjs";
import { exact } from "./exact.mjs";
import { photograph } from "./harness.mjs";
import { keyboard } from "./keyboard.mjs";
import { languages } from "./languages.mjs";
import { messageActions } from "./messageActions.mjs";
import { meter } from "./meter.mjs";
import { buildSite, openBrowser, openChat, serveSite } from "./page.mjs";
import { reading } from "./reading.mjs";
import { scrolling } from "./scrolling.mjs";

/** Bytes that the webview's script may have. */
const LARGEST = 400_000;

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const sizes = await buildSite();
const site = await serveSite();
const browser = await openBrowser();
const tests = [];
let contexts = [];

const open = async (options) => {
	const page = await openChat(browser, site.url, options);
	contexts.push(page.context);
	return page;
};
attacks((name, run) => tests.push({ name, run }), open);
composer((name, run) => tests.push({ name, run }), open);
earlyTyping((name, run) => tests.push({ name, run }), open);
meter((name, run) => tests.push({ name, run }), open);
languages((name, run) => tests.push({ name, run }), open);
behaviour((name, run) => tests.push({ name, run }), open);
cardTexts((name, run) => tests.push({ name, run }), open);
cards((name, run) => tests.push({ name, run }), open);
exact((name, run) => tests.push({ name, run }), open);
scrolling((name, run) => tests.push({ name, run }), open);
agentPicker((name, run) => tests.push({ name, run }), open);
agentsPage((name, run) => tests.push({ name, run }), open);
agentsDrafts((name, run) => tests.push({ name, run }), open);
agentsAttacks((name, run) => tests.push({ name, run }), open);
messageActions((name, run) => tests.push({ name, run }), open);
keyboard((name, run) => tests.push({ name, run }), open);
reading((name, run) => tests.push({ name, run }), open);
tests.push({
	name: "the script is not larger than it may be",
	run: () => {
		if (sizes["webview.js"] > LARGEST) throw new Error(`${sizes["webview.js"]} bytes`);
	},
});
if (process.argv.includes("--pictures")) {
	tests.push({
		name: "every state passes axe in every theme and fits every width",
		run: async () => {
			const complaints = await photograph(undefined, () => undefined);
			if (complaints.length) throw new Error(complaints.join("\n"));
		},
	});
}

let passed = 0;
const chosen = tests.filter(({ name }) => wanted.every((word) => name.includes(word)));
for (const { name, run } of chosen) {
	try {
		await run();
		passed += 1;
		console.log(`✔ ${name}`);
	} catch (error) {
		console.log(`✘ ${name}\n${error instanceof Error ? error.stack : error}`);
	}
	await Promise.all(contexts.map((context) => context.close()));
	contexts = [];
}
await browser.close();
await site.close();
console.log(`${passed} passed, ${chosen.length - passed} failed`);
process.exitCode = passed === chosen.length && passed > 0 ? 0 : 1;
