// Pictures of every state in every theme and width, in out/ui, and a check of each with axe.
// `node test/ui/harness.mjs [state…]`
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { pickerStates } from "./agentPicker.mjs";
import { agentStates } from "./agentStates.mjs";
import { approvalStates } from "./approvalStates.mjs";
import { callsStates } from "./callsStates.mjs";
import { cardStates } from "./cardStates.mjs";
import { composerStates } from "./composerStates.mjs";
import { exactStates } from "./exactStates.mjs";
import { longStates } from "./longStates.mjs";
import { buildSite, openBrowser, openChat, serveSite } from "./page.mjs";
import { readingStates } from "./readingStates.mjs";
import { states } from "./script.mjs";

/** Which headings follow each other in an answer is its author's choice. */
const RULES_OF_CONTENT = ["heading-order"];

const all = {
	...states,
	...cardStates,
	...callsStates,
	...approvalStates,
	...exactStates,
	...longStates,
	...composerStates,
	...readingStates,
	...agentStates,
	...pickerStates,
};

/** Of the page of agents, an editor tab. */
const TAB_VIEWS = ["dark", "light", "contrast", "contrastLight"].map((theme) => ({ theme, widths: [1100, 700, 380] }));

/** Themes, and the widths to which the page is drawn in them, the first of which it opens with. */
const VIEWS = [
	{ theme: "dark", widths: [380, 300, 240] },
	{ theme: "dark", widths: [800] },
	{ theme: "light", widths: [380, 300] },
	{ theme: "contrast", widths: [380, 300] },
	{ theme: "contrastLight", widths: [380] },
];

export async function photograph(wanted = Object.keys(all), say = console.log) {
	await mkdir(join("out", "ui"), { recursive: true });
	const site = await serveSite();
	const browser = await openBrowser();
	const complaints = [];
	for (const name of wanted) {
		for (const { theme, widths } of all[name].bundle === "agents" ? TAB_VIEWS : VIEWS)
			complaints.push(...(await look({ name, theme, widths, browser, url: site.url })));
		say(name);
	}
	await browser.close();
	await site.close();
	return complaints;
}

async function look({ name, theme, widths, browser, url }) {
	const complaints = [];
	const { bundle = "webview", shown = ".content > :last-child" } = all[name];
	const page = await openChat(browser, url, { theme, width: widths[0], reducedMotion: "reduce", bundle });
	const { chat, context, send, sendAll, errors } = page;
	await send(all[name].update);
	await sendAll(all[name].after ?? []);
	await chat.waitForSelector(shown);
	await all[name].act?.(page);
	await chat.waitForFunction(
		() =>
			!document.querySelector("[data-pending] [aria-disabled=true], .plan.proposed [aria-disabled=true]") &&
			document.fonts.status === "loaded",
	);
	for (const width of widths) {
		await chat.setViewportSize({ width, height: 900 });
		await chat.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
		await chat.screenshot({ path: join("out", "ui", `${name}-${theme}-${width}.png`) });
		const { violations } = await new AxeBuilder({ page: chat }).disableRules(RULES_OF_CONTENT).analyze();
		for (const { id, nodes } of violations)
			complaints.push(
				`${name} ${theme} ${width}: ${id}: ${nodes.map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).join(" | ")}`,
			);
		if (await chat.evaluate(overflows)) complaints.push(`${name} ${theme} ${width}: wider than the page`);
	}
	complaints.push(...errors.map((error) => `${name} ${theme}: ${error}`));
	await context.close();
	return complaints;
}

/** Something is cut off at the side, or makes the page wider than it is. */
function overflows() {
	return (
		document.documentElement.scrollWidth > innerWidth ||
		[...document.querySelectorAll(".agents *")].some(
			(part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest(".sr-only, .diff, .globs"),
		) ||
		[...document.querySelectorAll(".composer :is(button, select, textarea)")].some(
			(control) => control.getBoundingClientRect().right > innerWidth - 6,
		) ||
		[...document.querySelectorAll(".content > *")].some(
			(item) => item.scrollWidth > item.clientWidth + 4 && getComputedStyle(item).overflowX === "visible",
		)
	);
}

if (process.argv[1]?.endsWith("harness.mjs")) {
	console.log(await buildSite());
	const complaints = await photograph(process.argv.length > 2 ? process.argv.slice(2) : undefined);
	for (const complaint of complaints) console.log(complaint);
	process.exitCode = complaints.length ? 1 : 0;
}
