// The composer: the lists at an @ and a slash, images, the message history, and queued messages.
import assert from "node:assert/strict";
import type { QueuedMessage } from "../../../src/shared/protocol/chat.ts";
import { newest, ofType, openChat, showSnapshot } from "../browser.ts";
import { drawPicture, paste, suggestions, typeAndOffer } from "../states/composer.ts";
import { parts, states } from "../states/conversation.ts";
import { session, snapshot, user } from "../states/events.ts";

const opened = async (update = states.plan.update) => {
	const page = await showSnapshot(await openChat(), update);
	return { ...page, box: page.chat.getByRole("textbox", { name: "Message" }) };
};

it("the list at an @ opens when typing pauses, and Enter writes the chosen mention", async () => {
	const page = await opened();
	const { chat, box, posted } = page;
	await typeAndOffer(page, "Explain @car", suggestions);
	const list = chat.getByRole("listbox", { name: "Context" });
	assert.deepEqual(await list.getByRole("group").evaluateAll((groups) => groups.map((group) => group.getAttribute("aria-label"))), [
		"Files",
		"Folders",
		"Symbols",
	]);
	const active = () =>
		box.evaluate((field) => document.getElementById(field.getAttribute("aria-activedescendant") ?? "")?.getAttribute("aria-label"));
	assert.equal(await active(), "cart.ts, src");
	await box.press("ArrowUp");
	assert.equal(await active(), "addToCart, src/cart.ts:31");
	await box.press("ArrowDown");
	await box.press("Enter");
	assert.equal(await box.inputValue(), "Explain @src/cart.ts ");
	assert.equal(await list.count(), 0);
	assert.deepEqual(ofType(await posted(), "send"), []);
	await box.press("Control+z");
	assert.equal(await box.inputValue(), "Explain @car");
});

it("choosing a folder in the list at an @ continues with its contents", async () => {
	const page = await opened();
	const { chat, box, send, posted } = page;
	await typeAndOffer(page, "@car", suggestions);
	await chat.getByRole("option", { name: "cart, src", exact: true }).click();
	assert.equal(await box.inputValue(), "@src/cart/");
	await chat.waitForFunction(() => window.posted.some((message) => message.type === "suggest" && message.query === "src/cart/"));
	const { ask } = newest(ofType(await posted(), "suggest"));
	await send({ type: "suggestions", ask: ask - 1, items: suggestions });
	await send({ type: "suggestions", ask, items: suggestions.slice(0, 1) });
	await chat.waitForFunction(() => document.querySelectorAll("[role=listbox] [role=option]").length === 1);
	await box.press("Escape");
	await box.press("x");
	assert.equal(await chat.getByRole("listbox").count(), 0);
	await box.press("Enter");
	assert.deepEqual((await posted()).at(-1), { type: "send", session: "s1", text: "@src/cart/x" });
	await typeAndOffer(page, "@car", suggestions);
	await box.press("Tab");
	assert.equal(await box.inputValue(), "@src/cart.ts ");
});

it("a slash lists the commands, and Enter runs a command without an argument", async () => {
	const { chat, box, posted } = await opened();
	await box.pressSequentially("/c");
	assert.deepEqual(
		await chat
			.getByRole("listbox")
			.getByRole("option")
			.evaluateAll((options) => options.map((option) => option.querySelector(".popup-label")?.textContent)),
		["/clear", "/compact"],
	);
	await box.press("ArrowDown");
	await box.press("Enter");
	await box.pressSequentially("/pl");
	await box.press("Enter");
	assert.equal(await box.inputValue(), "/plan ");
	await box.pressSequentially("tidy up");
	await box.press("Enter");
	await box.pressSequentially("/etc/hosts");
	await box.press("Enter");
	await box.fill(" /help");
	await box.press("Enter");
	const sent = ofType(await posted(), "send").map(({ text }) => text);
	assert.deepEqual(sent, ["/compact", "/plan tidy up", "/etc/hosts", " /help"]);
});

it("a pasted image is scaled down and posted before its message", async () => {
	const { chat, box, send, posted } = await opened();
	await paste(chat, await drawPicture(chat, { width: 3_200, height: 1_200 }));
	await chat.getByRole("button", { name: "Remove Screenshot.png" }).waitFor();
	const [picture] = await posted();
	assert.ok(picture?.type === "picture");
	const [width, height, bytes = 0] = await chat.evaluate(async (data) => {
		const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
		const bitmap = await createImageBitmap(new Blob([bytes]));
		return [bitmap.width, bitmap.height, bytes.length];
	}, picture.data);
	assert.deepEqual([width, height], [1_568, 588]);
	assert.ok(bytes <= 700_000);
	await send({ type: "pictureKept", key: picture.key, kept: { blob: "c".repeat(64), size: 10, mime: "image/png" } });
	await chat.waitForFunction(() => sessionStorage.getItem("kept")?.includes("c".repeat(64)));
	await box.press("Enter");
	assert.deepEqual(await posted(), [{ type: "send", session: "s1", text: "", pictures: ["c".repeat(64)] }]);
	assert.equal(await chat.getByRole("list", { name: "Images in this message" }).count(), 0);
});

it("a noisy photo is made to fit, and a non-image file is refused", async () => {
	const { chat, posted } = await opened();
	const noise = await chat.evaluate(async () => {
		const canvas = new OffscreenCanvas(2_000, 2_000);
		const context = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
		const image = context.createImageData(2_000, 2_000);
		for (let at = 0; at < image.data.length; at += 65_536)
			crypto.getRandomValues(new Uint8Array(image.data.buffer, at, Math.min(65_536, image.data.length - at)));
		context.putImageData(image, 0, 0);
		const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
		let text = "";
		for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
		return btoa(text);
	});
	await paste(chat, { base64: noise, name: "noise.png", type: "image/png" });
	await chat.waitForFunction(() => window.posted.some(({ type }) => type === "picture"));
	const { data } = newest(ofType(await posted(), "picture"));
	assert.ok(data.length < 950_000, `${data.length} characters`);
	await paste(chat, { base64: btoa("plain words"), name: "notes.png", type: "image/png" });
	await chat.getByText("notes.png can't be attached.").first().waitFor();
	assert.deepEqual(await posted(), []);
});

it("an image that the host wants smaller is returned scaled down, or with a reason", async () => {
	const { chat, send, posted } = await opened();
	const { base64 } = await drawPicture(chat, { width: 2_000, height: 100 });
	await send({ type: "scale", key: "scale-1", mime: "image/png", data: base64 });
	await chat.waitForFunction(() => window.posted.some(({ type }) => type === "picture"));
	assert.equal(newest(ofType(await posted(), "picture")).key, "scale-1");
	await send({ type: "scale", key: "scale-2", mime: "image/png", data: btoa("no picture") });
	await chat.waitForFunction(() => window.posted.some(({ type }) => type === "noPicture"));
	const [refused] = await posted();
	assert.ok(refused?.type === "noPicture");
	assert.deepEqual([refused.key, /can't be attached/.test(refused.why)], ["scale-2", true]);
});

it("the second key of a two-key shortcut is not typed into the composer", async () => {
	const { chat, box } = await opened();
	await box.focus();
	await chat.keyboard.press("Control+k");
	await chat.keyboard.press("Shift+W");
	assert.equal(await box.inputValue(), "");
	await chat.keyboard.press("Shift+W");
	assert.equal(await box.inputValue(), "W");
});

it("a draft is saved as soon as the focus leaves the page", async () => {
	const { box } = await opened();
	const kept = await box.evaluate((field) => {
		(field as HTMLTextAreaElement).value = "half a thought";
		field.dispatchEvent(new InputEvent("input", { bubbles: true }));
		window.dispatchEvent(new Event("blur"));
		return sessionStorage.getItem("kept");
	});
	assert.match(kept ?? "", /half a thought/);
});

it("a draft's text, images and cursor survive a reload and a switch of session", async () => {
	const { chat, box, send, posted } = await opened();
	await paste(chat, await drawPicture(chat));
	await chat.getByRole("button", { name: "Remove Screenshot.png" }).waitFor();
	const { key } = newest(ofType(await posted(), "picture"));
	await send({ type: "pictureKept", key, kept: { blob: "d".repeat(64), size: 10, mime: "image/png" } });
	await box.fill("half a thought");
	await box.evaluate(
		(field) =>
			new Promise((selected) => {
				field.addEventListener("select", selected, { once: true });
				(field as HTMLTextAreaElement).setSelectionRange(4, 4);
			}),
	);
	await send(snapshot([], { session: { ...session, sessionId: "s2" } }));
	await chat.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("#message")?.value === "");
	assert.equal(await chat.getByRole("button", { name: "Remove Screenshot.png" }).count(), 0);
	await chat.reload();
	await chat.waitForFunction(() => window.posted.length > 0);
	await send(states.plan.update);
	await chat.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("#message")?.value === "half a thought");
	assert.equal(await box.evaluate((field) => (field as HTMLTextAreaElement).selectionStart), 4);
	await chat.getByRole("button", { name: "Remove Screenshot.png" }).waitFor();
	await posted();
	await box.press("Enter");
	assert.deepEqual((await posted()).at(-1), { type: "send", session: "s1", text: "half a thought", pictures: ["d".repeat(64)] });
});

it("a draft is saved even if the page goes away right after typing", async () => {
	const { chat, box } = await opened();
	await box.pressSequentially("Find discount");
	assert.match(await chat.evaluate(() => sessionStorage.getItem("kept") ?? ""), /"Find discount"/);
});

it("arrow keys in an empty composer bring back earlier messages, and never replace a draft", async () => {
	const { chat, box } = await opened();
	await box.press("ArrowUp");
	assert.equal(await box.inputValue(), "Also run the tests at the end");
	await box.press("ArrowUp");
	assert.equal(await box.inputValue(), "Rename **formatPrice** to **formatMoney** everywhere");
	await box.press("ArrowDown");
	await box.press("ArrowDown");
	assert.equal(await box.inputValue(), "");
	await box.fill("mine");
	await box.press("ArrowUp");
	assert.equal(await box.inputValue(), "mine");
	assert.equal(await chat.getByRole("listbox").count(), 0);
});

it("queued messages say that they wait, and one taken back goes before the draft", async () => {
	const queued: QueuedMessage[] = [
		{ id: "q1", text: "And the README", pictures: 0, state: "waiting", own: true },
		{ id: "q2", text: "From elsewhere", pictures: 0, state: "waiting", own: false },
	];
	const { chat, box, send, posted } = await opened(snapshot(parts.running, { queued }));
	await chat.getByText("2 messages queued").waitFor();
	assert.equal(await chat.getByRole("button", { name: /^Edit Queued Message/ }).count(), 1);
	await chat.getByRole("button", { name: "Edit Queued Message: And the README" }).click();
	assert.deepEqual(await posted(), [{ type: "withdraw", session: "s1", id: "q1" }]);
	await box.fill("later words");
	await send({ type: "compose", text: "And the README", back: { pictures: [{ blob: "e".repeat(64), size: 1, mime: "image/png" }] } });
	await chat.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("#message")?.value === "And the README\nlater words");
	await chat.getByRole("button", { name: "Remove Image" }).waitFor();
});

it("text that the host adds to the composer goes to the cursor", async () => {
	const { chat, box, send } = await opened();
	await box.fill("See  for more");
	await box.evaluate((field) => (field as HTMLTextAreaElement).setSelectionRange(3, 3));
	await send({ type: "compose", text: "@src/cart.ts:10-20 " });
	await chat.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("#message")?.value === "See @src/cart.ts:10-20   for more");
	await box.fill("Explain");
	await chat.getByRole("button", { name: "Add Context" }).click();
	assert.equal(await box.inputValue(), "Explain @");
	await chat.waitForFunction(() => window.posted.some((message) => message.type === "suggest" && message.query === ""));
});

it("files dropped from the editor are reported to the host, and other images are attached", async () => {
	const { chat, posted } = await opened();
	const drop = (fill: { uris?: string[]; file?: { base64: string; name: string; type: string } }) =>
		chat.evaluate((given) => {
			const data = new DataTransfer();
			if (given.uris) data.setData("application/vnd.code.uri-list", given.uris.join("\r\n"));
			if (given.file) {
				const bytes = Uint8Array.from(atob(given.file.base64), (letter) => letter.charCodeAt(0));
				data.items.add(new File([bytes], given.file.name, { type: given.file.type }));
			}
			for (const type of ["dragover", "drop"])
				window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
		}, fill);
	await drop({ uris: ["file:///w/src/a.ts", "file:///w/src/b.ts"] });
	assert.deepEqual(await posted(), [{ type: "drop", session: "s1", uris: ["file:///w/src/a.ts", "file:///w/src/b.ts"] }]);
	await drop({ file: await drawPicture(chat) });
	await chat.getByRole("button", { name: "Remove Screenshot.png" }).waitFor();
});

it("images and attachments of a sent message are shown and open with a click", async () => {
	const blob = "a".repeat(64);
	const message = user("See @src/cart.ts", {
		images: [{ blob, size: 10, mime: "image/png" }],
		attachments: [{ kind: "file", label: "src/cart.ts", text: "", path: "src/cart.ts" }],
	});
	const page = await openChat();
	await page.send(snapshot([{ ...message, seq: 1 }]));
	await page.chat.getByRole("button", { name: "src/cart.ts" }).waitFor();
	await page.chat.waitForFunction(() => window.posted.some(({ type }) => type === "showPicture"));
	assert.deepEqual(newest(ofType(await page.posted(), "showPicture")), { type: "showPicture", session: "s1", blob });
	const { base64 } = await drawPicture(page.chat);
	await page.send({ type: "picture", blob, mime: "image/png", data: base64 });
	await page.chat.waitForFunction(() => document.querySelector<HTMLImageElement>(".sent-picture img")?.complete);
	await page.chat.getByRole("button", { name: "Image", exact: true }).click();
	await page.chat.getByRole("button", { name: "src/cart.ts" }).click();
	assert.deepEqual(await page.posted(), [
		{ type: "openPicture", session: "s1", blob },
		{ type: "openAttachment", session: "s1", event: message.id, index: 0 },
	]);
	assert.deepEqual([page.errors, page.requests], [[], []]);
});
