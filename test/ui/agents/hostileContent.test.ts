// Hostile content in "Manage Agents": approvals cannot be forged, and names, prompts and paths are only text.

import assert from "node:assert/strict";
import type { AgentListRow, ScopeSummary } from "../../../src/shared/protocol/agents.ts";
import { type AgentsSnapshot, clickByScript } from "../browser.ts";
import { detailOf, limited, releaseNotes, snapshotOf, waitingDetail } from "../states/agentsHost.ts";
import { KEY, openAgents, openReview, REVIEWER, ROWS } from "./openAgents.ts";

const { hash: HASH } = waitingDetail();
const EVIL = "<img src=https://evil.example/x onerror=alert(1)><b>x</b>\u202e [a](command:x)";

it("an agent definition is approved only by the person's own click after a moment", async () => {
	const page = await openReview();
	const { chat, send, posted } = page;
	const button = chat.getByRole("button", { name: "Approve" });
	await clickByScript(button);
	await button.dispatchEvent("click");
	await chat.waitForSelector(".buttons [aria-disabled=false]");
	await clickByScript(button);
	await button.dispatchEvent("click");
	await button.evaluate((one) => one.dispatchEvent(new PointerEvent("click", { bubbles: true, isTrusted: true } as PointerEventInit)));
	assert.deepEqual(await posted(), [], "what no person did");
	await send({ type: "token", token: "token-2" });
	await button.click();
	assert.deepEqual(await posted(), [{ type: "approve", key: REVIEWER, hash: HASH, token: "token-2" }]);
	await button.press("Enter");
	assert.deepEqual(await posted(), [], "a token goes out once");
	const words = await chat.evaluate(() => `${document.documentElement.outerHTML} ${JSON.stringify(sessionStorage)}`);
	assert.doesNotMatch(words, /token-[12]/, "no token can be read from the page");
});

it("a task type to review is called a task type, not an agent", async () => {
	const row = { kind: "waiting" as const, key: REVIEWER, label: "Task type “probe”", origin: "workspace" as const, changed: false };
	const { chat } = await openReview(snapshotOf([...ROWS, { ...row, task: true }]));
	const words = await chat.locator(".review").innerText();
	assert.match(words, /This task type is defined in the workspace\./);
	assert.match(words, /What tasks of this type can do/i);
	assert.doesNotMatch(words, /this agent/i);
});

it("an agent definition that changes while it is reviewed cannot be approved at once", async () => {
	const { chat, send, posted } = await openReview();
	await chat.waitForSelector(".buttons [aria-disabled=false]");
	await send({ type: "detail", key: REVIEWER, detail: waitingDetail({ hash: "b".repeat(64), text: "{}" }) });
	await chat.waitForSelector(".buttons [aria-disabled=true]");
	await chat.waitForSelector(".buttons [aria-disabled=false]");
	await chat.getByRole("button", { name: "Approve" }).click();
	const [intent] = await posted();
	assert.ok(intent?.type === "approve");
	assert.equal(intent.hash, "b".repeat(64));
});

it("hostile names, prompts, paths and reasons of agents stay text in Manage Agents", async () => {
	const view = snapshotOf(ROWS).view;
	const rows: AgentListRow[] = [
		...ROWS.map((row) => ({ ...row, label: EVIL, description: EVIL, place: EVIL, icon: EVIL, color: "red;x", notes: [EVIL], grants: 2 })),
		{ kind: "broken", key: "broken:x", label: EVIL, origin: "workspace", place: EVIL, problem: EVIL },
		{ kind: "waiting", key: REVIEWER, label: EVIL, origin: "workspace", place: EVIL, icon: EVIL, changed: true },
	];
	const evil = {
		...releaseNotes,
		displayName: EVIL,
		description: EVIL,
		systemPrompt: EVIL,
		icon: EVIL,
		model: EVIL,
		extends: EVIL,
		roles: [EVIL],
		mcpServers: [EVIL],
		allowedTools: [EVIL],
		toolDenylist: [EVIL],
	};
	const scope: ScopeSummary = {
		...limited,
		groups: [
			{ plugin: EVIL, label: EVIL, offered: [EVIL], cut: [{ list: "toolDenylist", pattern: EVIL, tools: [EVIL], capabilities: [EVIL] }] },
		],
		roles: [{ id: "x", label: EVIL, tools: 1 }],
		shut: [{ name: EVIL, pattern: EVIL }],
		unknown: [EVIL],
		idle: [EVIL],
	};
	const update: AgentsSnapshot = {
		type: "snapshot",
		drafts: {},
		token: "token-1",
		view: {
			...view,
			rows,
			roles: [{ id: "x", label: EVIL, icon: EVIL, may: EVIL }],
			servers: [{ id: "x", name: EVIL, description: EVIL, icon: EVIL, problem: EVIL }],
			models: [{ label: EVIL, models: [{ id: "x/y", name: EVIL }], problem: EVIL }],
			auto: EVIL,
		},
	};
	const { chat, send, errors, requests } = await openAgents(update, [
		{ type: "select", key: KEY },
		detailOf(KEY, evil, {
			scope,
			problems: [
				{ field: "", problem: EVIL },
				{ field: "systemPrompt", problem: EVIL },
			],
		}),
	]);
	const inspect = () =>
		chat.evaluate(() => {
			const all = [...document.querySelectorAll("#root *")];
			const attributes = all.flatMap((element) =>
				[...element.attributes].filter(({ name }) => /^on|^(?:src|srcset|href|action|style)$/i.test(name)),
			);
			const texts = all.flatMap((element) =>
				[...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ nodeValue }) => nodeValue ?? ""),
			);
			const turned = texts.filter((text) => /[\u202a-\u202e]/.test(text));
			return [
				all.filter((element) => /^(?:img|script|iframe|object|embed|base|svg)$/.test(element.localName)).length,
				attributes.map(({ name, value }) => `${name}=${value}`),
				turned,
			];
		});
	await chat.getByText("evil.example").first().waitFor();
	assert.deepEqual(await inspect(), [0, [], []]);
	assert.equal(await chat.getByRole("textbox", { name: "Prompt" }).inputValue(), EVIL);
	await send({ type: "select", key: "broken:x" });
	await chat.getByText("This agent is ignored until its definition is fixed").waitFor();
	assert.deepEqual(await inspect(), [0, [], []]);
	await send({ type: "select", key: REVIEWER });
	await send({
		type: "detail",
		key: REVIEWER,
		detail: waitingDetail({
			text: EVIL,
			diff: `@@ -1,1 +1,1 @@\n-${EVIL}\n+${EVIL}x`,
			scope,
			roles: EVIL,
			may: EVIL,
			servers: [EVIL],
			ignored: [EVIL],
		}),
	});
	await chat.getByRole("button", { name: "Approve" }).waitFor();
	assert.deepEqual((await inspect()).slice(0, 2), [0, []]);
	assert.deepEqual([errors, requests], [[], []]);
});
