// The chat in other display languages: what a person reads and hears is translated, and longer words fit.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkPage } from "../accessibility.ts";
import { nextFrame, openChat } from "../browser.ts";
import { translationsOf } from "../site.ts";
import { states } from "../states/conversation.ts";

/** What the host says in its own language; the rest of the states are a model's words and names. */
const HOST_TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	de: {
		"no key and no local server were found":
			"VS Code stellt kein Modell bereit, es ist kein API-Schlüssel festgelegt, und es wird kein lokaler Server ausgeführt.",
		"Run npm test": "npm test ausführen",
		"Edit package.json": "package.json bearbeiten",
		"No rule allows this yet. Runs in shop.": "Noch keine Regel lässt dies zu.",
		"package.json determines which scripts run.": "package.json bestimmt, welche Skripts ausgeführt werden.",
	},
	"zh-cn": {
		"no key and no local server were found": "VS Code 未提供模型，未设置 API 密钥，也没有正在运行的本地服务器。",
		"Run npm test": "运行 npm test",
		"Edit package.json": "编辑 package.json",
		"No rule allows this yet. Runs in shop.": "尚无规则允许此操作。",
		"package.json determines which scripts run.": "package.json 决定运行哪些脚本。",
	},
};

const STATES = ["empty", "plan", "running", "approval", "editApproval", "question", "failed", "limit", "done", "many", "history"] as const;
const WIDTHS = [380, 300, 240];

/** Controls by their role and the English of their names, and the state that has them. */
const CONTROLS: readonly [
	state: (typeof STATES)[number],
	role: "textbox" | "button" | "radiogroup" | "radio" | "combobox" | "log",
	name: string,
][] = [
	["empty", "textbox", "Message"],
	["empty", "button", "Send"],
	["empty", "radiogroup", "Role"],
	["empty", "radio", "Planner"],
	["empty", "radio", "Actor"],
	["empty", "button", "More roles"],
	["empty", "combobox", "Agent"],
	["empty", "combobox", "Model"],
	["empty", "log", "Conversation"],
	["plan", "button", "Execute plan"],
	["plan", "button", "Revise"],
	["running", "button", "Stop"],
	["approval", "button", "Allow"],
	["approval", "button", "More Ways to Allow"],
	["approval", "button", "Deny"],
	["question", "textbox", "Your answer"],
	["question", "button", "Answer"],
	["failed", "button", "Retry"],
];

for (const language of Object.keys(HOST_TEXTS)) {
	it(`the chat in ${language} is translated, fits, and has no accessibility fault`, async () => {
		const translations: Record<string, string> = {
			...JSON.parse(await readFile(translationsOf(language), "utf8")),
			...HOST_TEXTS[language],
		};
		for (const state of STATES) {
			const { chat, send, errors } = await openChat({ language, reducedMotion: "reduce" });
			await send(inLanguage(states[state].update, translations));
			await chat.waitForSelector(".content > :last-child");
			await chat.waitForFunction(() => !document.querySelector("[data-pending] [aria-disabled=true], .plan.proposed [aria-disabled=true]"));
			for (const [, role, name] of CONTROLS.filter(([of]) => of === state)) {
				const translated = translations[name];
				assert.ok(translated, `${name} has no translation`);
				const found = await chat.getByRole(role, { name: translated, exact: true }).count();
				assert.ok(found > 0, `${state}: no ${role} is called ${translated}`);
			}
			for (const width of WIDTHS) {
				await chat.setViewportSize({ width, height: 900 });
				await nextFrame(chat);
				await chat.screenshot({ path: join("out", "ui", `${state}-${language}-${width}.png`) });
				assert.deepEqual(await chat.evaluate(cutOff), [], `${state} at ${width}`);
			}
			const violations = await checkPage(chat);
			assert.deepEqual(
				violations.map(({ id }) => id),
				[],
				state,
			);
			assert.deepEqual(errors, []);
		}
	});
}

it("the chat is in English without translations", async () => {
	const { chat, send } = await openChat();
	await send(states.plan.update);
	await chat.getByRole("button", { name: "Execute plan" }).waitFor();
});

/** Fields of an update that the host translates; ids and a model's own text stay. */
const TRANSLATED = new Set(["label", "why", "summary", "reason", "description", "button"]);

/** The same value as a host in that language would send it. */
function inLanguage<Value>(value: Value, translations: Readonly<Record<string, string>>): Value {
	return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
		TRANSLATED.has(key) && typeof part === "string" ? (translations[part] ?? part) : part,
	) as Value;
}

/** What is wider than the page, and buttons whose words do not fit into them. */
function cutOff(): string[] {
	const wide = [...document.querySelectorAll("main *")].filter((node) => {
		const { right, width } = node.getBoundingClientRect();
		return width > 1 && right > innerWidth + 1 && !node.closest("pre, .sr-only, .output, .told, .popup, .tip-text, .input");
	});
	const full = [...document.querySelectorAll("button")].filter(
		(node) => node.scrollWidth > node.clientWidth + 1 && !node.closest(".line, .card-head, .picker, .sr-only, .brought"),
	);
	return [...wide, ...full].map((node) => node.outerHTML.slice(0, 120));
}
