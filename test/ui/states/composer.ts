// The composer with its lists, images and queued messages, and sent messages with their attachments.
import type { Page } from "playwright-core";
import type { MentionSuggestion, QueuedMessage } from "../../../src/shared/protocol/chat.ts";
import { type ChatPage, newest, ofType } from "../browser.ts";
import { parts } from "./conversation.ts";
import { type ChatState, call, ended, event, model, snapshot, started, user } from "./events.ts";

/** A gradient, drawn in the page, as an image file. */
interface PictureFile {
	base64: string;
	name: string;
	type: string;
}

export async function drawPicture(
	chat: Page,
	{ width = 320, height = 200, name = "Screenshot.png", type = "image/png" } = {},
): Promise<PictureFile> {
	return chat.evaluate(
		async ({ width: wide, height: high, name: called, type: kind }) => {
			const canvas = new OffscreenCanvas(wide, high);
			const context = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
			const gradient = context.createLinearGradient(0, 0, wide, high);
			gradient.addColorStop(0, "#3b82c4");
			gradient.addColorStop(1, "#c4813b");
			context.fillStyle = gradient;
			context.fillRect(0, 0, wide, high);
			context.fillStyle = "#ffffff";
			context.fillRect(wide / 8, high / 4, wide / 2, high / 8);
			const blob = await canvas.convertToBlob({ type: kind });
			const bytes = new Uint8Array(await blob.arrayBuffer());
			let text = "";
			for (const byte of bytes) text += String.fromCharCode(byte);
			return { base64: btoa(text), name: called, type: kind };
		},
		{ width, height, name, type },
	);
}

/** Pastes a file into the composer. */
export async function paste(chat: Page, file: PictureFile): Promise<void> {
	await chat.getByRole("textbox", { name: "Message" }).evaluate((box, given) => {
		const bytes = Uint8Array.from(atob(given.base64), (letter) => letter.charCodeAt(0));
		const data = new DataTransfer();
		data.items.add(new File([bytes], given.name, { type: given.type }));
		box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	}, file);
}

export const suggestions: MentionSuggestion[] = [
	{ kind: "file", insert: "@src/cart.ts", label: "cart.ts", detail: "src", marks: [0, 1, 2] },
	{ kind: "file", insert: "@src/checkout/cartSummary.ts", label: "cartSummary.ts", detail: "src/checkout", marks: [0, 1, 2] },
	{
		kind: "file",
		insert: "@test/unit/checkout/regression/cart.test.ts",
		label: "cart.test.ts",
		detail: "test/unit/checkout/regression",
		marks: [0, 1, 2],
	},
	{ kind: "folder", insert: "@src/cart", label: "cart", detail: "src", marks: [0, 1, 2], more: true },
	{ kind: "symbol", insert: "@src/cart.ts#cartTotal", label: "cartTotal", detail: "src/cart.ts:12", marks: [0, 1, 2] },
	{ kind: "symbol", insert: "@src/cart.ts#addToCart", label: "addToCart", detail: "src/cart.ts:31", marks: [5, 6, 7] },
];

const EDITOR_MENTIONS = {
	selection: "Selected text in the editor",
	problems: "Errors and warnings in this workspace",
	terminal: "Terminal output",
	changes: "Changes since the last commit",
	url: "Public web page",
} as const;
const kinds = Object.keys(EDITOR_MENTIONS) as (keyof typeof EDITOR_MENTIONS)[];
const editor: MentionSuggestion[] = kinds.map((kind) => ({
	kind,
	insert: kind === "url" ? "@https://" : `@${kind}`,
	label: kind,
	detail: EDITOR_MENTIONS[kind],
}));
const opened: MentionSuggestion[] = ["src/cart.ts", "src/money.ts"].map((path) => ({
	kind: "file",
	insert: `@${path}`,
	label: path.slice(4),
	detail: "src",
}));

/** Types, and answers the page's question as the host would. */
export async function typeAndOffer({ chat, send, posted }: ChatPage, text: string, items: MentionSuggestion[]): Promise<void> {
	await chat.getByRole("textbox", { name: "Message" }).pressSequentially(text);
	const query = text.slice(text.lastIndexOf("@") + 1);
	await chat.waitForFunction((wanted) => window.posted.some((message) => message.type === "suggest" && message.query === wanted), query);
	const { ask } = newest(ofType(await posted(), "suggest"));
	await send({ type: "suggestions", ask, items });
	await chat.getByRole("listbox", { name: "Context" }).waitFor();
}

const queuedMessage = (id: string, text: string, over: Partial<QueuedMessage> = {}): QueuedMessage => ({
	id,
	text,
	pictures: 0,
	state: "waiting",
	own: true,
	...over,
});
const blob = (digit: string) => ({ blob: digit.repeat(64), size: 4_000, mime: "image/png" });
const toolPictures = [
	user("Does the page look as in docs/cart.png?"),
	started("planner"),
	model({
		text: "I compare the two.",
		calls: [
			call("p1", "read_file", { path: "docs/cart.png" }),
			call("p2", "mcp__browser__screenshot", { url: "http://localhost:3000/cart" }),
		],
	}),
	event("result", {
		call: "p1",
		status: "ok",
		output: "[image, attached: image/png, 640 × 400, 4000 bytes]",
		images: [blob("c")],
		view: { kind: "file", path: "docs/cart.png", figure: "640 × 400" },
	}),
	event("result", { call: "p2", status: "ok", output: "[image 1, attached: image/png, 640 × 400, 4000 bytes]", images: [blob("d")] }),
	model({ text: "They agree." }),
	ended("done"),
];
const sent = [
	event("role", { role: "planner" }),
	user("Why does the total in @src/cart.ts:10-20 differ from this picture? See @problems and @https://example.com/guides/rounding.", {
		images: [blob("a"), blob("b")],
		attachments: [
			{ kind: "file", label: "src/cart.ts:10-20", text: "…", path: "src/cart.ts", lines: [10, 20] },
			{ kind: "problems", label: "problems", text: "…" },
			{ kind: "url", label: "https://example.com/guides/rounding", text: "…", path: "https://example.com/guides/rounding" },
		],
	}),
	event(
		"status",
		{ level: "info", text: "@.env wasn't included: the location is protected, and you chose not to send the content." },
		"person",
	),
	started("planner"),
	model({ text: "The total is rounded twice: once for each line, and once at the end." }),
	event("ended", { outcome: "done" }),
];

export const composerStates = {
	pictures: {
		update: snapshot(parts.planned, { model: { id: "local/words", name: "Words Only 7B", why: "", offline: false, images: false } }),
		async act({ chat }) {
			await paste(chat, await drawPicture(chat));
			await chat.getByRole("button", { name: "Remove Screenshot.png" }).waitFor();
			await paste(chat, await drawPicture(chat, { name: "checkout-page-with-a-long-name.jpg", type: "image/jpeg", width: 200 }));
			await chat.getByRole("button", { name: /Remove checkout/ }).waitFor();
			await chat.getByRole("textbox", { name: "Message" }).fill("The button overlaps the total, see the picture.");
		},
	},
	contextChip: {
		update: snapshot(parts.planned, { panel: { on: true, name: "cart.ts", place: "src/cart.ts", lines: [12, 20] } }),
		async act({ chat }) {
			await chat.getByRole("button", { name: "Context: src/cart.ts, lines 12 to 20", pressed: true }).waitFor();
			await paste(chat, await drawPicture(chat));
			await chat.getByRole("button", { name: "Remove Screenshot.png" }).waitFor();
		},
	},
	contextChipOff: {
		update: snapshot(parts.planned, { panel: { on: true, name: "a.ts", place: "a.ts" } }),
		async act({ chat, send, posted }) {
			const name = "checkout-summary-with-a-very-long-name.component.ts";
			await chat.getByRole("button", { name: "Context: a.ts", pressed: true }).click();
			await chat.waitForFunction(() => window.posted.some((message) => message.type === "panelContext" && message.on === false));
			await send({ type: "panel", panel: { on: false, name, place: `src/${name}`, lines: [7, 7] } });
			await chat.getByRole("button", { name: `Context: src/${name}, line 7`, pressed: false }).waitFor();
			await posted();
		},
	},
	mention: {
		update: snapshot(parts.planned),
		act: (page) => typeAndOffer(page, "Explain @car", suggestions),
	},
	context: {
		update: snapshot(parts.planned),
		act: (page) => typeAndOffer(page, "@", [...editor, ...opened]),
	},
	slash: {
		update: snapshot(parts.planned),
		async act({ chat }) {
			await chat.getByRole("textbox", { name: "Message" }).pressSequentially("/");
			await chat.getByRole("listbox", { name: "Commands" }).waitFor();
			await chat.keyboard.press("ArrowDown");
		},
	},
	waiting: {
		update: snapshot(parts.running, {
			queued: [
				queuedMessage("q1", "And the README, please: it still shows the old name in the second example and in the table below it"),
				queuedMessage("q2", "Look at @https://example.com/guide", { state: "gathering", pictures: 1 }),
				queuedMessage("q3", "", { pictures: 2 }),
			],
		}),
		async act({ chat, send }) {
			await chat.getByRole("textbox", { name: "Message" }).fill("Then run the tests");
			await send({
				type: "hint",
				text: "There is no command /rename. There are: /plan /act /new /clear /model /agent /compact /export /help.",
			});
		},
	},
	toolPictures: {
		update: snapshot(toolPictures),
		async act({ chat, send }) {
			const { base64 } = await drawPicture(chat);
			await send({ type: "picture", blob: "c".repeat(64), mime: "image/png", data: base64 });
			await send({ type: "picture", blob: "d".repeat(64), mime: "image/png", data: base64 });
			await chat.waitForFunction(() => document.querySelectorAll(".call .sent-picture img").length === 2);
		},
	},
	sent: {
		update: snapshot(sent),
		async act({ chat, send }) {
			const { base64 } = await drawPicture(chat);
			await send({ type: "picture", blob: "a".repeat(64), mime: "image/png", data: base64 });
			await send({ type: "picture", blob: "b".repeat(64), mime: "", data: "" });
			await chat.waitForFunction(() => document.querySelector<HTMLImageElement>(".sent-picture img")?.complete);
		},
	},
} satisfies Readonly<Record<string, ChatState>>;
