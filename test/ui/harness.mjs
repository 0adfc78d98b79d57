// Pictures of every state in every theme and width, in out/ui, and a check of each with axe.
// `node test/ui/harness.mjs [state…]`
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { composerStates } from "./composerStates.mjs";
import { buildSite, openBrowser, openChat, serveSite } from "./page.mjs";
import { readingStates } from "./readingStates.mjs";
import { states } from "./script.mjs";

/** Which headings follow each other in an answer is its author's choice. */
const RULES_OF_CONTENT = ["heading-order"];

const all = { ...states, ...composerStates, ...readingStates };

export async function photograph(wanted = Object.keys(all), say = console.log) {
	await mkdir(join("out", "ui"), { recursive: true });
	const site = await serveSite();
	const browser = await openBrowser();
	const complaints = [];
	for (const name of wanted) {
		for (const theme of ["dark", "light", "contrast"]) {
			for (const width of theme === "dark" ? [380, 300, 800] : [380]) {
				const page = await openChat(browser, site.url, { theme, width, reducedMotion: "reduce" });
				const { chat, context, send, sendAll, errors } = page;
				await send(all[name].update);
				await sendAll(all[name].after ?? []);
				await chat.waitForSelector(".content > :last-child");
				await all[name].act?.(page);
				await chat.waitForFunction(
					() =>
						!document.querySelector("[data-pending] [aria-disabled=true], .plan.proposed [aria-disabled=true]") &&
						document.fonts.status === "loaded",
				);
				await chat.screenshot({ path: join("out", "ui", `${name}-${theme}-${width}.png`) });
				const { violations } = await new AxeBuilder({ page: chat }).disableRules(RULES_OF_CONTENT).analyze();
				for (const { id, nodes } of violations)
					complaints.push(
						`${name} ${theme} ${width}: ${id}: ${nodes.map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).join(" | ")}`,
					);
				complaints.push(...errors.map((error) => `${name} ${theme} ${width}: ${error}`));
				const overflow = await chat.evaluate(
					() =>
						document.documentElement.scrollWidth > innerWidth ||
						[...document.querySelectorAll(".content > *")].some(
							(item) => item.scrollWidth > item.clientWidth + 4 && getComputedStyle(item).overflowX === "visible",
						),
				);
				if (overflow) complaints.push(`${name} ${theme} ${width}: wider than the page`);
				await context.close();
			}
		}
		say(name);
	}
	await browser.close();
	await site.close();
	return complaints;
}

if (process.argv[1]?.endsWith("harness.mjs")) {
	console.log(await buildSite());
	const complaints = await photograph(process.argv.length > 2 ? process.argv.slice(2) : undefined);
	for (const complaint of complaints) console.log(complaint);
	process.exitCode = complaints.length ? 1 : 0;
}
