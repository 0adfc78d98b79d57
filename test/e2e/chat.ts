// The chat panel as a person sees or hears it: everything is found by its accessible name.
import type { FrameLocator, Locator, Page } from "playwright-core";
import { expect } from "./expect.ts";

export class Chat {
	private readonly page: Page;
	private readonly frame: FrameLocator;

	constructor(page: Page, purpose: "webviewView" | "editor" = "webviewView") {
		this.page = page;
		const outer =
			purpose === "webviewView" ? 'iframe.webview[src*="purpose=webviewView"]' : 'iframe.webview:not([src*="purpose=webviewView"])';
		// A webview is a page in a page: VS Code's own, and in it the extension's.
		this.frame = page.frameLocator(`${outer}[src*="extensionId=troupe.troupe"]`).frameLocator("#active-frame");
	}

	/** Nothing is on its way between the page and its host, and what came is painted. A model may still answer. */
	async waitUntilSettled(): Promise<void> {
		await this.frame.locator("html[data-settled]").waitFor({ state: "attached" });
	}

	/** The conversation is there, whatever it holds. */
	async ready(): Promise<void> {
		await this.role("Planner").waitFor();
		await this.waitUntilSettled();
	}

	/** Presses a button by its name, or another control. */
	async press(control: string | Locator): Promise<void> {
		await this.waitUntilSettled();
		await (typeof control === "string" ? this.button(control) : control).click();
	}

	/** Chooses in one of the lists below the composer. */
	async pick(list: "Agent" | "Model", label: RegExp): Promise<void> {
		await this.press(this.combobox(list));
		await this.option(label).click();
		await this.waitUntilSettled();
	}

	textbox(): Locator {
		return this.frame.getByRole("textbox", { name: "Message", exact: true });
	}

	/** Where a message that was sent is changed. */
	editBox(): Locator {
		return this.frame.getByRole("textbox", { name: "Edit message", exact: true });
	}

	/** Writes a message and sends it. */
	async message(text: string): Promise<void> {
		await this.ready();
		await this.textbox().fill(text);
		await this.press("Send");
		await this.waitUntilSettled();
	}

	/** No turn is running. A message counts as soon as it is sent. */
	async waitUntilIdle(): Promise<void> {
		await this.waitUntilSettled();
		await this.button("Send").waitFor();
		await this.button("Stop").waitFor({ state: "detached" });
		await this.waitUntilSettled();
	}

	/** The caret or the focus ring is on it, and the keyboard in this page. */
	async focused(control: Locator): Promise<void> {
		await expect.poll(() => hasFocus(control), { message: "the focus is there" }).toBe(true);
	}

	/** Presses Shift+Tab until the focus is there: from the textbox, what stands above comes first. */
	async tabTo(control: Locator): Promise<void> {
		await this.waitUntilSettled();
		for (let presses = 0; presses < 100; presses += 1) {
			if (await hasFocus(control)) return;
			await this.page.keyboard.press("Shift+Tab");
		}
		throw new Error("Shift+Tab does not lead there");
	}

	button(name: string): Locator {
		return this.frame.getByRole("button", { name, exact: true });
	}

	/** What the part of the last line says that the pointer or the focus is on. */
	explanation(): Locator {
		return this.frame.getByRole("tooltip");
	}

	/** In the list at an @ or a slash. */
	option(name: RegExp): Locator {
		return this.frame.getByRole("listbox").getByRole("option", { name });
	}

	combobox(name: "Agent" | "Model"): Locator {
		return this.frame.getByRole("combobox", { name, exact: true });
	}

	/** The list of agents where it shows that the session is this agent's. */
	agent(name: string): Locator {
		return this.combobox("Agent").and(this.frame.getByTitle(`Agent: ${name}`, { exact: true }));
	}

	/** The chat shows a session of this agent. */
	async agentIs(name: string): Promise<void> {
		await this.agent(name).waitFor();
		await this.waitUntilSettled();
	}

	/** The radio of a role; `checked: true` asks for the one that is chosen. */
	role(name: string, options: { checked?: boolean } = {}): Locator {
		return this.frame.getByRole("radiogroup", { name: "Role" }).getByRole("radio", { name, exact: true, ...options });
	}

	session(): Locator {
		return this.frame.getByRole("log", { name: "Conversation" });
	}

	/** The conversation while nothing has been said in it. */
	emptyConversation(): Locator {
		return this.frame.locator("main").filter({ hasNot: this.frame.getByRole("article") });
	}

	/** Turns the wheel until the beginning is reached: what is far off is not drawn. */
	async scrollToStart(): Promise<void> {
		const log = this.session();
		await log.hover();
		while ((await log.evaluate(distanceFromStart)) > 0) {
			await this.page.mouse.wheel(0, -2_000);
			await log.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
		}
	}

	/** The messages of one speaker, "You" or an agent, or of all. */
	articles(speaker?: string | RegExp): Locator {
		return this.session().getByRole("article", speaker === undefined ? {} : { name: speaker });
	}

	/** The latest message of the person with this text. */
	private said(text: string): Locator {
		return this.articles("You").filter({ hasText: text }).last();
	}

	/** The button of the first thought that follows a message. */
	thoughtAfter(message: string): Locator {
		return this.said(message).locator("xpath=following::button[normalize-space()='Thought']").first();
	}

	/** What anyone said after a message. */
	articlesAfter(message: string): Locator {
		return this.said(message).locator("xpath=following::article");
	}

	/** What is announced to a screen reader. */
	status(): Locator {
		return this.frame.getByRole("status");
	}

	/** A tool call by a part of its summary. */
	toolCall(summary: string | RegExp): Locator {
		return this.session().getByRole("group", { name: summary });
	}

	/** The card of a call of another agent. */
	agentCall(agent: string): Locator {
		return this.session().getByRole("region", { name: `Agent call: ${agent}`, exact: true });
	}

	openCalled(agent: string): Locator {
		return this.session().getByRole("button", { name: `Open ${agent}`, exact: true });
	}

	task(name: string): TaskCard {
		return new TaskCard(this.session().getByRole("region", { name: `Background task: ${name}`, exact: true }), name);
	}

	/** A plan's card, the latest one unless its goal is named. */
	plan(goal?: string): PlanCard {
		const name = goal === undefined ? /^Plan: / : `Plan: ${goal}`;
		return new PlanCard(this.session().getByRole("region", { name }).last());
	}

	question(question: string | RegExp = ""): QuestionCard {
		return new QuestionCard(
			this.session()
				.getByRole("group", { name: cardName("Question", question) })
				.last(),
		);
	}

	approval(summary: string | RegExp = ""): ApprovalCard {
		return new ApprovalCard(
			this.session()
				.getByRole("group", { name: cardName("Approval", summary) })
				.last(),
		);
	}

	text(text: string | RegExp): Locator {
		return this.session().getByText(text);
	}
}

export class TaskCard {
	readonly card: Locator;
	private readonly name: string;

	constructor(card: Locator, name: string) {
		this.card = card;
		this.name = name;
	}

	/** The card says that the task is in this state, such as "Running". */
	async is(state: string | RegExp): Promise<void> {
		await this.card.locator(".call-state").getByText(state).waitFor();
	}

	button(action: "Open" | "Stop" | "Continue"): Locator {
		return this.part(`${action} ${this.name}`);
	}

	/** A button of its changes, such as "Take README.md". */
	part(name: string): Locator {
		return this.card.getByRole("button", { name, exact: true });
	}

	async press(name: string): Promise<void> {
		await this.part(name).click();
	}
}

export class PlanCard {
	readonly card: Locator;

	constructor(card: Locator) {
		this.card = card;
	}

	steps(): Locator {
		return this.card.getByRole("list").first().getByRole("listitem");
	}

	/** Every button can be pressed: the card has been there for its half second. */
	async waitUntilSettled(): Promise<void> {
		await this.card.getByRole("button", { name: "Execute plan", exact: true, disabled: false }).waitFor();
	}

	executeButton(): Locator {
		return this.card.getByRole("button", { name: "Execute plan", exact: true });
	}

	async execute(): Promise<void> {
		await answer(this.executeButton());
	}

	async revise(): Promise<void> {
		await this.card.getByRole("button", { name: "Revise", exact: true }).click();
	}
}

export class ApprovalCard {
	readonly card: Locator;

	constructor(card: Locator) {
		this.card = card;
	}

	allowButton(): Locator {
		return this.card.getByRole("button", { name: "Allow", exact: true });
	}

	/** Every button can be pressed: the card has been there for its half second. */
	async waitUntilSettled(): Promise<void> {
		await this.card.getByRole("button", { name: "Allow", exact: true, disabled: false }).waitFor();
	}

	async allow(): Promise<void> {
		await answer(this.allowButton());
	}

	async alwaysAllow(): Promise<void> {
		await this.card.getByRole("button", { name: "More Ways to Allow", exact: true }).click();
		await answer(this.card.getByRole("button", { name: "Always Allow Here", exact: true }));
	}

	async deny(reason?: string): Promise<void> {
		await this.waitUntilSettled();
		await this.card.getByRole("button", { name: "Deny", exact: true }).click();
		if (reason !== undefined) await this.card.getByRole("textbox", { name: "Reason" }).fill(reason);
		await answer(this.card.getByRole("button", { name: "Deny", exact: true }));
	}
}

export class QuestionCard {
	readonly card: Locator;

	constructor(card: Locator) {
		this.card = card;
	}

	async choose(option: string): Promise<void> {
		await answer(this.card.getByRole("button", { name: option, exact: true }));
	}

	async write(text: string): Promise<void> {
		await this.card.getByRole("textbox", { name: "Your answer" }).fill(text);
		await answer(this.card.getByRole("button", { name: "Answer", exact: true }));
	}
}

/** In pixels, of the conversation or of what it scrolls in. */
function distanceFromStart(log: Element): number {
	let scrolled = 0;
	for (let part: Element | null = log; part; part = part.parentElement) scrolled += part.scrollTop;
	return scrolled;
}

function hasFocus(control: Locator): Promise<boolean> {
	return control.evaluate((element) => element.ownerDocument.hasFocus() && element === element.ownerDocument.activeElement);
}

/** A card takes no answer in its first half second: its buttons say so. */
async function answer(button: Locator): Promise<void> {
	await button.click();
	await button.waitFor({ state: "hidden" });
}

function cardName(kind: string, rest: string | RegExp): RegExp {
	const source = typeof rest === "string" ? rest.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&") : rest.source;
	return new RegExp(`^${kind}: .*${source}`);
}
