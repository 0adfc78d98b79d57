// The composer's half of the host: messages with pictures and mentions, and messages that wait.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { visibleEvents } from "../../../src/core/transcript/fold.ts";
import { leave, notes, open, users } from "./composingStage.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\nnot much of a picture", "latin1");

describe("the composer's host", () => {
	afterEach(leave);

	it("hands the model a picture that was given before the message, and shows it to that session's page alone", async () => {
		const scene = await open([{ text: "Nice." }]);
		const { session } = scene;
		const handed = scene.act({ type: "picture", key: "k1", data: PNG.toString("base64") });
		await scene.send("Look", ["k1"]);
		await handed;
		const [image] = users(scene)[0]?.images ?? [];
		assert.equal(image?.mime, "image/png");
		assert.deepEqual(Buffer.from((await scene.model.requests[0]?.image?.(image as never)) ?? []), PNG);
		await scene.act({ type: "showPicture", session: session.sessionId, blob: image?.blob ?? "" });
		assert.equal((await scene.update("picture")).data, PNG.toString("base64"));
		const hidden = await scene.house.services.blobs.put(Buffer.from("\x89PNG\r\n\x1a\nof another session", "latin1"));
		await scene.act({ type: "showPicture", session: session.sessionId, blob: hidden });
		assert.equal((await scene.update("picture", ({ blob }) => blob === hidden)).data, "");
		await scene.act({ type: "openPicture", session: session.sessionId, blob: image?.blob ?? "" });
		assert.equal(scene.did.at(-1), `openPicture ${image?.blob} image/png`);
	});

	it("refuses what is no picture by its bytes, and keeps a message whose picture is gone", async () => {
		const scene = await open([{ text: "Nice." }]);
		await scene.act({ type: "picture", key: "k1", data: Buffer.from("#!/bin/sh").toString("base64") });
		const { kept } = await scene.update("pictureKept");
		assert.match("refused" in kept ? kept.refused : "", /isn't a PNG, JPEG, WebP, or GIF image/);
		await scene.send("Look", ["f".repeat(64)]);
		assert.deepEqual(await scene.update("compose"), { type: "compose", text: "Look", back: { pictures: [] } });
		assert.match(scene.did.at(-1) ?? "", /image in this message no longer exists/);
		assert.deepEqual(users(scene), []);
	});

	it("takes a picture by its hash when the page was reloaded meanwhile", async () => {
		const scene = await open([{ text: "Nice." }]);
		const blob = await scene.house.services.blobs.put(PNG);
		await scene.send("", [blob]);
		assert.deepEqual(users(scene)[0]?.images, [{ blob, size: PNG.length, mime: "image/png" }]);
	});

	it("sends what mentions bring along with the message, to disk and to the model", async () => {
		const scene = await open([{ text: "Seen." }]);
		await scene.send("Explain @src/hello.ts and @nowhere.ts");
		const attachment = users(scene)[0]?.attachments?.[0];
		assert.equal(attachment?.path, "src/hello.ts");
		assert.deepEqual([notes(scene).length, notes(scene)[0]?.includes("@nowhere.ts")], [1, true]);
		const { events } = await scene.house.store.read(scene.session.sessionId);
		assert.match(JSON.stringify(events), /export const greeting/);
		assert.match(JSON.stringify(scene.model.requests[0]?.events), /export const greeting/);
		await scene.act({ type: "openAttachment", session: scene.session.sessionId, event: users(scene)[0]?.id ?? "", index: 0 });
		assert.equal(scene.did.at(-1), `openFile ${join(scene.house.folder, "src/hello.ts")} `);
	});

	it("has the page make a mentioned picture smaller", async () => {
		const scene = await open([{ text: "Nice." }]);
		writeFileSync(join(scene.house.folder, "shot.png"), PNG);
		const sending = scene.send("See @shot.png");
		const { key, data } = await scene.update("scale");
		assert.equal(data, PNG.toString("base64"));
		const small = Buffer.from("\x89PNG\r\n\x1a\nsmaller", "latin1");
		await scene.act({ type: "picture", key, data: small.toString("base64") });
		await sending;
		assert.equal(users(scene)[0]?.images?.[0]?.size, small.length);
		assert.deepEqual(notes(scene), []);
	});

	it("says so when the model takes no pictures that a message mentions", async () => {
		const scene = await open([{ text: "What picture?" }]);
		const { services } = scene.house;
		const { model } = services;
		services.model = async (agent, role) => {
			const chosen = await model(agent, role);
			return { ...chosen, info: { ...chosen.info, images: false } };
		};
		writeFileSync(join(scene.house.folder, "shot.png"), PNG);
		const sending = scene.send("See @shot.png");
		const { key, data } = await scene.update("scale");
		await scene.act({ type: "picture", key, data });
		await sending;
		assert.deepEqual(notes(scene), ["Scripted doesn't support images and can't see the images you mentioned."]);
		const around = await scene.update("surroundings", ({ surroundings }) => surroundings.model.images === false);
		assert.equal(around.surroundings.model.name, "Scripted");
	});

	it("keeps the order of messages, whatever the first one waits for", async () => {
		const scene = await open(() => ({ text: "Yes." }));
		writeFileSync(join(scene.house.folder, "shot.png"), PNG);
		const first = scene.send("First, with @shot.png");
		const { key } = await scene.update("scale");
		const second = scene.send("Second");
		await scene.act({ type: "noPicture", key, why: "The file can't be read." });
		await Promise.all([first, second]);
		assert.deepEqual(
			users(scene).map(({ text }) => text),
			["First, with @shot.png", "Second"],
		);
		assert.match(notes(scene).join(), /@shot\.png wasn't included\. The file can't be read\./);
	});

	it("stops gathering with Stop, and gives the message back", async () => {
		const scene = await open();
		writeFileSync(join(scene.house.folder, "shot.png"), PNG);
		const sending = scene.send("See @shot.png");
		await scene.update("scale");
		const around = await scene.update("surroundings", ({ surroundings }) => surroundings.queued[0]?.state === "gathering");
		assert.equal(around.surroundings.queued[0]?.text, "See @shot.png");
		await scene.act({ type: "stop", session: scene.session.sessionId });
		await sending;
		assert.deepEqual(await scene.update("compose"), { type: "compose", text: "See @shot.png", back: { pictures: [] } });
		assert.deepEqual([users(scene), scene.did], [[], []]);
	});

	it("gives a waiting message back to be edited, with its pictures, and no turn takes it", async () => {
		let go: (value?: unknown) => void = () => undefined;
		const until = new Promise((resolve) => {
			go = resolve;
		});
		const scene = await open([{ text: "Working.", until }, { text: "Done." }]);
		const turn = scene.send("Begin");
		await scene.model.asked;
		await scene.act({ type: "picture", key: "k1", data: PNG.toString("base64") });
		const letter = scene.send("And this", ["k1"]);
		const { surroundings } = await scene.update("surroundings", (update) =>
			update.surroundings.queued.some(({ state }) => state === "waiting"),
		);
		const [waiting] = surroundings.queued;
		assert.deepEqual([waiting?.text, waiting?.pictures, waiting?.own], ["And this", 1, true]);
		await scene.act({ type: "takeBack", session: scene.session.sessionId, id: waiting?.id ?? "" });
		const back = await scene.update("compose");
		assert.deepEqual([back.text, back.back?.pictures[0]?.mime], ["And this", "image/png"]);
		go();
		await Promise.all([turn, letter]);
		assert.deepEqual(
			users(scene).map(({ text }) => text),
			["Begin"],
		);
	});

	it("says what other words in a message's place could not bring along", async () => {
		const scene = await open([{ text: "One." }, { text: "Two." }]);
		await scene.send("First");
		const [message] = users(scene);
		await scene.act({ type: "resend", session: scene.session.sessionId, message: message?.id ?? "", text: "See @nowhere.ts" });
		const said = visibleEvents(scene.conversation.state).flatMap((event) =>
			event.type === "user" || event.type === "status" ? [event.text] : [],
		);
		assert.deepEqual([said.length, said[0]?.includes("@nowhere.ts"), said[1]], [2, true, "See @nowhere.ts"]);
	});

	it("mentions files that were dropped, by their path in the workspace", async () => {
		const scene = await open();
		const uri = `file://${scene.house.folder}/src/my%20file.ts`;
		await scene.act({ type: "drop", session: scene.session.sessionId, uris: [uri, "https://example.com/x"] });
		assert.deepEqual(await scene.update("compose"), { type: "compose", text: '@"src/my file.ts" ' });
	});
});
