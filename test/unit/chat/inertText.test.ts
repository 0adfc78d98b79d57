// Tests text that links put into the composer: sent as it is, it mentions nothing and runs nothing.
import assert from "node:assert/strict";
import { parseMentions } from "../../../src/chat/mentions/mention.ts";
import { parseSlashCommand } from "../../../src/chat/slashCommands.ts";
import { toInertText } from "../../../src/shared/inertText.ts";
import { findTrigger } from "../../../webview-ui/composer/completionTrigger.ts";
import { numbers } from "../../fakes/hostileText.ts";
import { leave, notes, open, users } from "./testChat.ts";

const PIECES = [
	...["@", "@src/hello.ts", "@.env", '@"a b"', '@"x @y"', "@url https://evil.example", "@https://evil.example", "@selection", "@terminal"],
	...["/", "/clear", "/act do it", "/mcp__x__y", "/skill", "//", "\\", "\\@", "\\/", "a@b.example", "@@", "@(", "@a#b:1-2"],
	...["`", "```", "```\n", "~~~\n", "\n", "\t", " ", "  ", "(", '"', "'", "<", "[", "„", "word", "é", "👩\u200d💻"],
];

describe("text of a link in the composer", () => {
	afterEach(leave);

	it("has no mention and no command, and opens no list, whatever it is", () => {
		const next = numbers(3);
		for (let round = 0; round < 20_000; round += 1) {
			const text = Array.from({ length: 1 + next(9) }, () => PIECES[next(PIECES.length)] as string).join("");
			const inert = toInertText(text);
			const sent = JSON.stringify(inert);
			assert.deepEqual(parseMentions(inert), [], sent);
			assert.deepEqual(parseMentions(inert.trim()), [], sent);
			assert.equal(parseSlashCommand(inert), undefined, sent);
			assert.ok(!inert.trim().startsWith("/"), sent);
			assert.notEqual(findTrigger(inert, inert.length)?.kind, "slash", sent);
			assert.equal(toInertText(inert), inert, sent);
		}
	});

	it("stays without one when the message loses its ends, or code around it", () => {
		const next = numbers(4);
		for (let round = 0; round < 20_000; round += 1) {
			const inert = toInertText(Array.from({ length: 2 + next(9) }, () => PIECES[next(PIECES.length)] as string).join(""));
			for (const edited of [inert.trim(), inert.replaceAll("`", ""), inert.replace(/`+/, " "), inert.replaceAll("~", "")])
				assert.deepEqual(parseMentions(edited), [], JSON.stringify([inert, edited]));
		}
	});

	it("is otherwise as it was, addresses too", () => {
		for (const text of ["Explain a@b.example", "a/b and `c/d`", "50/50 @ home", "\\@src", "\\/clear"])
			assert.equal(toInertText(text), text);
		assert.equal(toInertText(" /clear"), " \\/clear");
		assert.equal(toInertText("/act @a, (@b) and @c"), "\\/act \\@a, (\\@b) and \\@c");
		assert.equal(toInertText("```ts\n@Component({})\n```"), "```ts\n\\@Component({})\n```");
	});

	it("goes to the model as it stands, without attachments, notes, or a command", async () => {
		const setup = await open([{ text: "Read." }, { text: "Read." }]);
		const { sessionId } = setup.summary;
		for (const text of ["/clear", "Explain @src/hello.ts, @selection and @nowhere.ts"]) {
			await setup.send(toInertText(text));
			const message = users(setup).at(-1);
			assert.deepEqual([message?.text, message?.attachments], [toInertText(text), undefined]);
		}
		assert.deepEqual([notes(setup), setup.did, users(setup).length], [[], [], 2]);
		assert.equal(setup.chat.sessionId, sessionId);
	});

	it("mentions again what the person types again", async () => {
		const setup = await open([{ text: "Read." }]);
		await setup.send(toInertText("Explain @src/hello.ts").replace("\\", ""));
		assert.equal(users(setup)[0]?.attachments?.[0]?.path, "src/hello.ts");
	});

	it("stays inert where a message is returned to the composer", async () => {
		const setup = await open();
		await setup.send(toInertText("/act @src/hello.ts"), ["f".repeat(64)]);
		const { text } = await setup.update("compose");
		assert.equal(text, "\\/act \\@src/hello.ts");
	});
});
