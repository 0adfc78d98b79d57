// Draws every state in every theme and width to out/ui, and checks each picture with axe.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { checkPage } from "./accessibility.ts";
import { type AgentsPage, type ChatPage, nextFrame, openAgentsPage, openChat } from "./browser.ts";
import { agentCallStates } from "./states/agentCalls.ts";
import { pickerStates } from "./states/agentPicker.ts";
import { switchStates } from "./states/agentSwitch.ts";
import { agentStates } from "./states/agents.ts";
import { approvalStates } from "./states/approvals.ts";
import { callsStates } from "./states/calls.ts";
import { cardStates } from "./states/cards.ts";
import { composerStates } from "./states/composer.ts";
import { states } from "./states/conversation.ts";
import type { ChatState } from "./states/events.ts";
import { exactStates } from "./states/exactText.ts";
import { longStates } from "./states/longContent.ts";
import { mainAgentStates } from "./states/mainAgent.ts";
import { readingStates } from "./states/reading.ts";
import { taskStates } from "./states/tasks.ts";
import { type Theme, themeNames } from "./themes/themes.ts";

/** A theme, and the widths to which the page is resized in it, the first of which it opens with. */
interface View {
	theme: Theme;
	widths: readonly [number, ...number[]];
}

const CHAT_VIEWS: readonly View[] = [
	{ theme: "dark", widths: [380, 300, 240] },
	{ theme: "dark", widths: [800] },
	{ theme: "light", widths: [380, 300] },
	{ theme: "contrast", widths: [380, 300] },
	{ theme: "contrastLight", widths: [380] },
];

const TAB_VIEWS: readonly View[] = themeNames.map((theme) => ({ theme, widths: [1100, 700, 380] }));

const chatStates: Readonly<Record<string, ChatState>> = {
	...states,
	...cardStates,
	...callsStates,
	...agentCallStates,
	...taskStates,
	...mainAgentStates,
	...approvalStates,
	...exactStates,
	...longStates,
	...composerStates,
	...readingStates,
	...pickerStates,
	...switchStates,
};

before(() => mkdir(join("out", "ui"), { recursive: true }));

for (const [name, state] of Object.entries(chatStates)) {
	it(`the chat in state "${name}" fits without accessibility faults in every theme and width`, async () => {
		for (const { theme, widths } of CHAT_VIEWS) {
			const page = await openChat({ theme, width: widths[0], reducedMotion: "reduce" });
			await page.send(state.update);
			await page.sendAll(state.after ?? []);
			await page.chat.waitForSelector(".content > :last-child");
			await state.act?.(page);
			await draw(name, page, { theme, widths });
		}
	});
}

for (const [name, state] of Object.entries(agentStates)) {
	it(`Manage Agents in state "${name}" fits without accessibility faults in every theme and width`, async () => {
		for (const { theme, widths } of TAB_VIEWS) {
			const page = await openAgentsPage({ theme, width: widths[0], reducedMotion: "reduce" });
			await page.send(state.update);
			await page.sendAll(state.after ?? []);
			await page.chat.waitForSelector(".editor-body");
			await state.act?.(page);
			await draw(name, page, { theme, widths });
		}
	});
}

async function draw(name: string, { chat, context, errors }: ChatPage | AgentsPage, { theme, widths }: View): Promise<void> {
	await chat.waitForFunction(
		() =>
			!document.querySelector(
				"[data-pending] [aria-disabled=true], .plan.proposed [aria-disabled=true], :is(.agent-call, .task-panel) [aria-disabled=true]:not([aria-busy=true])",
			) && document.fonts.status === "loaded",
	);
	const faults: string[] = [];
	for (const width of widths) {
		await chat.setViewportSize({ width, height: 900 });
		await nextFrame(chat);
		await chat.screenshot({ path: join("out", "ui", `${name}-${theme}-${width}.png`) });
		for (const fault of await faultsOf(chat)) faults.push(`${theme} ${width}: ${fault}`);
	}
	assert.deepEqual([...faults, ...errors], []);
	await context.close();
}

async function faultsOf(chat: Page): Promise<string[]> {
	const violations = await checkPage(chat);
	const found = violations.map(({ id, nodes }) => {
		const places = nodes.map(({ html, any: checks }) => `${html.slice(0, 120)} ${checks[0]?.message ?? ""}`);
		return `${id}: ${places.join(" | ")}`;
	});
	return (await chat.evaluate(overflows)) ? [...found, "wider than the page"] : found;
}

/** In the page: something is cut off at the side, or makes the page wider than it is. */
function overflows(): boolean {
	return (
		document.documentElement.scrollWidth > innerWidth ||
		[...document.querySelectorAll(".agents *")].some(
			(part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest(".sr-only, .diff, .globs"),
		) ||
		[...document.querySelectorAll(".composer :is(button, select, textarea)")].some(
			(control) => control.getBoundingClientRect().right > innerWidth - 6,
		) ||
		[...document.querySelectorAll(".task-panel :is(button, .counts)")].some(
			(part) => part.getBoundingClientRect().right > innerWidth - 6,
		) ||
		[...document.querySelectorAll(".content > *")].some(
			(item) => item.scrollWidth > item.clientWidth + 4 && getComputedStyle(item).overflowX === "visible",
		)
	);
}
