// The composer's half of the host: messages with pictures and mentions, commands at a slash, and messages that wait.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Chat, createChat } from "../../../src/app/chat.ts";
import type { ChatHost } from "../../../src/app/chatHost.ts";
import type { EventOf } from "../../../src/core/events.ts";
import { visibleEvents } from "../../../src/core/transcript.ts";
import { type Intent, IntentSchema, type Update } from "../../../src/protocol.ts";
import type { HouseOptions } from "../../fakes/house.ts";
import type { Script } from "../../fakes/scriptedModel.ts";
import { FILES, type Stage, stage, strike } from "./stage.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\nnot much of a picture", "latin1");

interface Scene extends Stage {
	chat: Chat;
	updates: Update[];
	did: string[];
	says: { confirm: boolean };
	/** Resolves with the first update of that type that was or is posted and fits. */
	update<T extends Update["type"]>(
		type: T,
		fits?: (update: Extract<Update, { type: T }>) => boolean,
	): Promise<Extract<Update, { type: T }>>;
	act(intent: Intent): Promise<void>;
	send(text: string, pictures?: string[]): Promise<void>;
}

const chats: Chat[] = [];

async function open(script: Script = [], options: Partial<HouseOptions> & { role?: string } = {}): Promise<Scene> {
	const scene = await stage(script, { files: FILES, ...options });
	const updates: Update[] = [];
	const waiting = new Set<() => void>();
	const did: string[] = [];
	const says = { confirm: true };
	const note =
		(what: string) =>
		async (...words: unknown[]) =>
			void did.push([what, ...words.filter((word) => typeof word === "string")].join(" "));
	const host: Partial<ChatHost> = {
		post(update) {
			updates.push(structuredClone(update));
			for (const look of [...waiting]) look();
		},
		shown: () => undefined,
		health: () => undefined,
		focusedFor: async () => 10_000,
		async confirm(text) {
			did.push(`confirm ${text}`);
			return says.confirm;
		},
		notify: (level, text) => did.push(`${level}: ${text}`),
		pickRole: async () => undefined,
		pickAgent: async () => undefined,
		exportSession: note("export"),
		save: note("save"),
		openFile: async (path, line) => void did.push(`openFile ${path} ${line ?? ""}`),
		openPicture: note("openPicture"),
		openDiff: note("openDiff"),
		openText: note("openText"),
		showTerminal: () => undefined,
		openLink: note("openLink"),
		command: (command) => did.push(`command ${command}`),
	};
	const chat = createChat(scene.house.conversations, host as ChatHost);
	chats.push(chat);
	await chat.handle({ type: "ready" });
	const update: Scene["update"] = (type, fits = () => true) =>
		new Promise((resolve) => {
			const look = () => {
				const found = updates.find((candidate) => candidate.type === type && fits(candidate as never));
				if (!found) return;
				waiting.delete(look);
				resolve(found as never);
			};
			waiting.add(look);
			look();
		});
	const act = (intent: Intent) => chat.handle(IntentSchema.parse(intent));
	const session = scene.session.sessionId;
	const send = (text: string, pictures?: string[]) => act({ type: "send", session, text, ...(pictures && { pictures }) });
	return { ...scene, chat, updates, did, says, update, act, send };
}

const users = ({ conversation }: Scene): EventOf<"user">[] => conversation.state.events.filter((event) => event.type === "user");
const notes = ({ conversation }: Scene): string[] =>
	conversation.state.events.flatMap((event) => (event.type === "status" ? [event.text] : []));

describe("the composer's host", () => {
	afterEach(async () => {
		for (const chat of chats.splice(0)) chat.dispose();
		await strike();
	});

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
		assert.match("refused" in kept ? kept.refused : "", /no PNG, JPEG, WebP or GIF/);
		await scene.send("Look", ["f".repeat(64)]);
		assert.deepEqual(await scene.update("compose"), { type: "compose", text: "Look", back: { pictures: [] } });
		assert.match(scene.did.at(-1) ?? "", /not there any more/);
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
		assert.deepEqual(notes(scene), ["Not found here, so sent as text alone: @nowhere.ts."]);
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
		assert.deepEqual(notes(scene), ["Scripted takes no pictures: it will not see those that were mentioned."]);
		const around = await scene.update("surroundings", ({ surroundings }) => surroundings.model.images === false);
		assert.equal(around.surroundings.model.name, "Scripted");
	});

	it("keeps the order of messages, whatever the first one waits for", async () => {
		const scene = await open(() => ({ text: "Yes." }));
		writeFileSync(join(scene.house.folder, "shot.png"), PNG);
		const first = scene.send("First, with @shot.png");
		const { key } = await scene.update("scale");
		const second = scene.send("Second");
		await scene.act({ type: "noPicture", key, why: "it is no picture." });
		await Promise.all([first, second]);
		assert.deepEqual(
			users(scene).map(({ text }) => text),
			["First, with @shot.png", "Second"],
		);
		assert.match(notes(scene).join(), /@shot\.png was left out: it is no picture/);
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

	it("switches the role at /plan and /act and sends the rest", async () => {
		const scene = await open([{ text: "Looking." }], { role: "actor" });
		await scene.send("/plan tidy up");
		assert.equal(scene.conversation.state.role, "planner");
		assert.deepEqual(
			users(scene).map(({ text }) => text),
			["tidy up"],
		);
		await scene.send("/act");
		assert.equal(scene.conversation.state.role, "actor");
		assert.equal(users(scene).length, 1);
	});

	it("knows no other command than those it lists, keeps the text, and takes a path for a path", async () => {
		const scene = await open([{ text: "A file." }, { text: "Well." }]);
		await scene.send("/frobnicate now");
		assert.equal((await scene.update("compose")).text, "/frobnicate now");
		assert.match((await scene.update("hint")).text, /no command \/frobnicate\. There are: \/plan \/act \/new .*\/help/);
		await scene.send("/etc/hosts is odd");
		await scene.send(" /frobnicate is a word");
		assert.deepEqual(
			users(scene).map(({ text }) => text),
			["/etc/hosts is odd", "/frobnicate is a word"],
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
		assert.deepEqual(said, ["Not found here, so sent as text alone: @nowhere.ts.", "See @nowhere.ts"]);
	});

	it("gives a command's words back where it cannot be done, or is thought better of", async () => {
		const blob = "a".repeat(64);
		const scene = await open([{ text: "Hello." }], { role: "actor" });
		await scene.send("/compact");
		assert.equal((await scene.update("compose")).text, "/compact");
		assert.match(scene.did.at(-1) ?? "", /nothing to summarise/);
		await scene.send("/agent nobody", [blob]);
		assert.equal((await scene.update("compose", ({ text }) => text !== "/compact")).text, "/agent nobody");
		const stuck = await open([{ until: new Promise(() => undefined) }], { role: "actor" });
		stuck.says.confirm = false;
		const running = stuck.send("Go");
		await stuck.model.asked;
		await stuck.send("/plan tidy up");
		assert.equal((await stuck.update("compose")).text, "/plan tidy up");
		assert.equal(stuck.conversation.state.role, "actor");
		await stuck.act({ type: "stop", session: stuck.session.sessionId });
		await running;
	});

	it("tells what there is at /help, and no model hears of it", async () => {
		const scene = await open([{ text: "Hello." }]);
		await scene.send("/help");
		assert.match(notes(scene).join(), /\/plan what to do · Switch to Planner[\s\S]*\/help/);
		await scene.send("Hello");
		assert.equal(users(scene).length, 1);
		assert.equal(
			scene.model.requests[0]?.events.some((event) => event.type === "status" && event.level !== "info"),
			false,
		);
	});

	it("asks before /clear, begins anew at /new, and opens the lists and the export", async () => {
		const scene = await open(() => ({ text: "Hi." }));
		await scene.send("Hello");
		scene.says.confirm = false;
		await scene.send("/clear");
		assert.equal(users(scene).length, 1);
		scene.says.confirm = true;
		await scene.send("/clear");
		const { sessionId } = scene.session;
		const cleared = await scene.house.conversations.get(sessionId);
		assert.equal(cleared.state.messages, 0);
		await scene.send("/model");
		await scene.send("/export");
		assert.deepEqual(scene.did.slice(-2), ["command selectModel", "export"]);
		await scene.send("/new Start here");
		const shown = scene.chat.sessionId ?? "";
		assert.notEqual(shown, sessionId);
		assert.equal((await scene.house.conversations.get(shown)).state.messages > 0, true);
	});

	it("switches the agent by name at /agent, and says which there are otherwise", async () => {
		const scene = await open([], { agents: [{ agentId: "docs", displayName: "Docs writer" }] });
		await scene.send("/agent docs writer");
		assert.equal(scene.conversation.state.agent, "docs");
		await scene.send("/agent nobody");
		assert.match(scene.did.at(-1) ?? "", /There is no agent nobody\. There are: .*Docs writer/);
		assert.equal(scene.conversation.state.agent, "docs");
	});

	it("suggests files, folders and symbols that fit, never protected ones, and drops late answers", async () => {
		const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`lib/part${index % 100}/module${index}.ts`, ""]));
		const scene = await open([], { files: { ...files, "src/cart.ts": "", "src/my cart.md": "", "cart.env.txt": "", ".env.cart": "" } });
		const { workspace } = scene.house.services;
		workspace.symbols = async () => [{ name: "cartTotal", kind: "Function", path: join(scene.house.folder, "src/cart.ts"), line: 3 }];
		const { sessionId: session } = scene.session;
		await scene.act({ type: "suggest", session, ask: 1, query: "mod" });
		await scene.act({ type: "suggest", session, ask: 2, query: "cart" });
		const found = scene.updates.findLast((update) => update.type === "suggestions" && update.ask === 2);
		assert.deepEqual(found?.type === "suggestions" && found.items.map(({ insert }) => insert), [
			"@src/cart.ts",
			"@cart.env.txt",
			'@"src/my cart.md"',
			"@src/cart.ts#cartTotal",
		]);
		const late = scene.act({ type: "suggest", session, ask: 3, query: "module1" });
		await scene.act({ type: "suggest", session, ask: 4, query: "module2" });
		await late;
		assert.equal(
			scene.updates.some((update) => update.type === "suggestions" && update.ask === 3),
			false,
		);
	});

	it("starts nothing for suggestions and sends nothing in Restricted Mode", async () => {
		const scene = await open([], { restricted: "Trust this workspace first." });
		scene.house.services.workspace.find = () => assert.fail("it looked for files");
		await scene.act({ type: "suggest", session: scene.session.sessionId, ask: 1, query: "hello" });
		assert.deepEqual((await scene.update("suggestions")).items, []);
		await scene.send("Explain @src/hello.ts");
		assert.deepEqual([users(scene), scene.did], [[], ["error: Trust this workspace first."]]);
	});

	it("mentions files that were dropped, by their path in the workspace", async () => {
		const scene = await open();
		const uri = `file://${scene.house.folder}/src/my%20file.ts`;
		await scene.act({ type: "drop", session: scene.session.sessionId, uris: [uri, "https://example.com/x"] });
		assert.deepEqual(await scene.update("compose"), { type: "compose", text: '@"src/my file.ts" ' });
	});
});
