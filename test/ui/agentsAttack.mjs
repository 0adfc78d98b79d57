// The page "Manage Agents" under attack: approvals that cannot be forged, and names, prompts and paths that are only words.
import assert from "node:assert/strict";
import { detailOf, limited, releaseNotes, snapshotOf, waitingDetail } from "./agentsHost.mjs";
import { agentsOpen, KEY, REVIEWER, ROWS } from "./agentsOpen.mjs";

const HASH = waitingDetail().hash;
const EVIL = "<img src=https://evil.example/x onerror=alert(1)><b>x</b>\u202e [a](command:x)";

export function agentsAttacks(test, open) {
	const { opened, waiting } = agentsOpen(open);

	test("agents page: an approval comes of a person's own click alone, not at once, with the newest token", async () => {
		const page = await waiting();
		const { chat, send, posted } = page;
		const button = chat.getByRole("button", { name: "Approve" });
		await button.evaluate((one) => one.click());
		await button.dispatchEvent("click");
		await chat.waitForSelector(".buttons [aria-disabled=false]");
		await button.evaluate((one) => one.click());
		await button.dispatchEvent("click");
		await button.evaluate((one) => one.dispatchEvent(new PointerEvent("click", { bubbles: true, isTrusted: true })));
		assert.deepEqual(await posted(), [], "what no person did");
		await send({ type: "token", token: "token-2" });
		await button.click();
		assert.deepEqual(await posted(), [{ type: "approve", key: REVIEWER, hash: HASH, token: "token-2" }]);
		await button.press("Enter");
		assert.deepEqual(await posted(), [], "a token goes out once");
		const words = await chat.evaluate(() => `${document.documentElement.outerHTML} ${JSON.stringify(sessionStorage)}`);
		assert.doesNotMatch(words, /token-[12]/, "no token can be read from the page");
	});

	test("agents page: another content of a definition must be looked at anew before it can be approved", async () => {
		const { chat, send, posted } = await waiting();
		await chat.waitForSelector(".buttons [aria-disabled=false]");
		await send({ type: "detail", key: REVIEWER, detail: waitingDetail({ hash: "b".repeat(64), text: "{}" }) });
		await chat.waitForSelector(".buttons [aria-disabled=true]");
		await chat.waitForSelector(".buttons [aria-disabled=false]");
		await chat.getByRole("button", { name: "Approve" }).click();
		const [intent] = await posted();
		assert.equal(intent.hash, "b".repeat(64));
	});

	test("agents page: names, prompts, paths and reasons of others are words, whatever is in them", async () => {
		const view = snapshotOf(ROWS).view;
		const rows = [
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
		const scope = {
			...limited,
			groups: [
				{ plugin: EVIL, label: EVIL, offered: [EVIL], cut: [{ list: "toolDenylist", pattern: EVIL, tools: [EVIL], capabilities: [EVIL] }] },
			],
			roles: [{ id: "x", label: EVIL, tools: 1 }],
			shut: [{ name: EVIL, pattern: EVIL }],
			unknown: [EVIL],
			idle: [EVIL],
		};
		const update = {
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
		const { chat, send, errors, requests } = await opened(update, [
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
				const texts = all.flatMap((element) => [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data));
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
		await chat.getByText("This definition is left out").waitFor();
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
}
