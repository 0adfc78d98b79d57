// The composer's half of the host: messages with pictures and mentions, and messages that wait.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { visibleEvents } from "../../../src/core/transcript/fold.ts";
import { leave, notes, open, users } from "./testChat.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\nnot much of a picture", "latin1");

describe("the composer's host", () => {
	afterEach(leave);

	it("hands the model a picture that was given before the message, and shows it to that session's page alone", async () => {
		const setup = await open([{ text: "Nice." }]);
		const { summary } = setup;
		const handed = setup.act({ type: "picture", key: "k1", data: PNG.toString("base64") });
		await setup.send("Look", ["k1"]);
		await handed;
		const [image] = users(setup)[0]?.images ?? [];
		assert.equal(image?.mime, "image/png");
		assert.deepEqual(Buffer.from((await setup.model.requests[0]?.image?.(image as never)) ?? []), PNG);
		await setup.act({ type: "showPicture", session: summary.sessionId, blob: image?.blob ?? "" });
		assert.equal((await setup.update("picture")).data, PNG.toString("base64"));
		const hidden = await setup.app.services.blobs.put(Buffer.from("\x89PNG\r\n\x1a\nof another session", "latin1"));
		await setup.act({ type: "showPicture", session: summary.sessionId, blob: hidden });
		assert.equal((await setup.update("picture", ({ blob }) => blob === hidden)).data, "");
		await setup.act({ type: "openPicture", session: summary.sessionId, blob: image?.blob ?? "" });
		assert.equal(setup.did.at(-1), `openPicture ${image?.blob} image/png`);
	});

	it("refuses what is no picture by its bytes, and keeps a message whose picture is gone", async () => {
		const setup = await open([{ text: "Nice." }]);
		await setup.act({ type: "picture", key: "k1", data: Buffer.from("#!/bin/sh").toString("base64") });
		const { kept } = await setup.update("pictureKept");
		assert.match("refused" in kept ? kept.refused : "", /isn't a PNG, JPEG, WebP, or GIF image/);
		await setup.send("Look", ["f".repeat(64)]);
		assert.deepEqual(await setup.update("compose"), { type: "compose", text: "Look", back: { pictures: [] } });
		assert.match(setup.did.at(-1) ?? "", /image in this message no longer exists/);
		assert.deepEqual(users(setup), []);
	});

	it("takes a picture by its hash when the page was reloaded meanwhile", async () => {
		const setup = await open([{ text: "Nice." }]);
		const blob = await setup.app.services.blobs.put(PNG);
		await setup.send("", [blob]);
		assert.deepEqual(users(setup)[0]?.images, [{ blob, size: PNG.length, mime: "image/png" }]);
	});

	it("sends what mentions bring along with the message, to disk and to the model", async () => {
		const setup = await open([{ text: "Seen." }]);
		await setup.send("Explain @src/hello.ts and @nowhere.ts");
		const attachment = users(setup)[0]?.attachments?.[0];
		assert.equal(attachment?.path, "src/hello.ts");
		assert.deepEqual([notes(setup).length, notes(setup)[0]?.includes("@nowhere.ts")], [1, true]);
		const { events } = await setup.app.store.read(setup.summary.sessionId);
		assert.match(JSON.stringify(events), /export const greeting/);
		assert.match(JSON.stringify(setup.model.requests[0]?.events), /export const greeting/);
		await setup.act({ type: "openAttachment", session: setup.summary.sessionId, event: users(setup)[0]?.id ?? "", index: 0 });
		assert.equal(setup.did.at(-1), `openFile ${join(setup.app.folder, "src/hello.ts")} `);
	});

	it("has the page make a mentioned picture smaller", async () => {
		const setup = await open([{ text: "Nice." }]);
		writeFileSync(join(setup.app.folder, "shot.png"), PNG);
		const sending = setup.send("See @shot.png");
		const { key, data } = await setup.update("scale");
		assert.equal(data, PNG.toString("base64"));
		const small = Buffer.from("\x89PNG\r\n\x1a\nsmaller", "latin1");
		await setup.act({ type: "picture", key, data: small.toString("base64") });
		await sending;
		assert.equal(users(setup)[0]?.images?.[0]?.size, small.length);
		assert.deepEqual(notes(setup), []);
	});

	it("says so when the model takes no pictures that a message mentions", async () => {
		const setup = await open([{ text: "What picture?" }]);
		const { services } = setup.app;
		const { model } = services;
		services.model = async (agent, role) => {
			const chosen = await model(agent, role);
			return { ...chosen, info: { ...chosen.info, images: false } };
		};
		writeFileSync(join(setup.app.folder, "shot.png"), PNG);
		const sending = setup.send("See @shot.png");
		const { key, data } = await setup.update("scale");
		await setup.act({ type: "picture", key, data });
		await sending;
		assert.deepEqual(notes(setup), ["Scripted doesn't support images and can't see the images you mentioned."]);
		const around = await setup.update("status", ({ status }) => status.model.images === false);
		assert.equal(around.status.model.name, "Scripted");
	});

	it("keeps the order of messages, whatever the first one waits for", async () => {
		const setup = await open(() => ({ text: "Yes." }));
		writeFileSync(join(setup.app.folder, "shot.png"), PNG);
		const first = setup.send("First, with @shot.png");
		const { key } = await setup.update("scale");
		const second = setup.send("Second");
		await setup.act({ type: "noPicture", key, why: "The file can't be read." });
		await Promise.all([first, second]);
		assert.deepEqual(
			users(setup).map(({ text }) => text),
			["First, with @shot.png", "Second"],
		);
		assert.match(notes(setup).join(), /@shot\.png wasn't included\. The file can't be read\./);
	});

	it("stops gathering with Stop, and gives the message back", async () => {
		const setup = await open();
		writeFileSync(join(setup.app.folder, "shot.png"), PNG);
		const sending = setup.send("See @shot.png");
		await setup.update("scale");
		const around = await setup.update("status", ({ status }) => status.queued[0]?.state === "gathering");
		assert.equal(around.status.queued[0]?.text, "See @shot.png");
		await setup.act({ type: "stop", session: setup.summary.sessionId });
		await sending;
		assert.deepEqual(await setup.update("compose"), { type: "compose", text: "See @shot.png", back: { pictures: [] } });
		assert.deepEqual([users(setup), setup.did], [[], []]);
	});

	it("gives a waiting message back to be edited, with its pictures, and no turn takes it", async () => {
		let go: (value?: unknown) => void = () => undefined;
		const until = new Promise((resolve) => {
			go = resolve;
		});
		const setup = await open([{ text: "Working.", until }, { text: "Done." }]);
		const turn = setup.send("Begin");
		await setup.model.asked;
		await setup.act({ type: "picture", key: "k1", data: PNG.toString("base64") });
		const letter = setup.send("And this", ["k1"]);
		const { status } = await setup.update("status", (update) => update.status.queued.some(({ state }) => state === "waiting"));
		const [waiting] = status.queued;
		assert.deepEqual([waiting?.text, waiting?.pictures, waiting?.own], ["And this", 1, true]);
		await setup.act({ type: "withdraw", session: setup.summary.sessionId, id: waiting?.id ?? "" });
		const back = await setup.update("compose");
		assert.deepEqual([back.text, back.back?.pictures[0]?.mime], ["And this", "image/png"]);
		go();
		await Promise.all([turn, letter]);
		assert.deepEqual(
			users(setup).map(({ text }) => text),
			["Begin"],
		);
	});

	it("says what other words in a message's place could not bring along", async () => {
		const setup = await open([{ text: "One." }, { text: "Two." }]);
		await setup.send("First");
		const [message] = users(setup);
		await setup.act({ type: "resend", session: setup.summary.sessionId, message: message?.id ?? "", text: "See @nowhere.ts" });
		const said = visibleEvents(setup.session.state).flatMap((event) =>
			event.type === "user" || event.type === "status" ? [event.text] : [],
		);
		assert.deepEqual([said.length, said[0]?.includes("@nowhere.ts"), said[1]], [2, true, "See @nowhere.ts"]);
	});

	it("mentions files that were dropped, by their path in the workspace", async () => {
		const setup = await open();
		const uri = `file://${setup.app.folder}/src/my%20file.ts`;
		await setup.act({ type: "drop", session: setup.summary.sessionId, uris: [uri, "https://example.com/x"] });
		assert.deepEqual(await setup.update("compose"), { type: "compose", text: '@"src/my file.ts" ' });
	});
});
