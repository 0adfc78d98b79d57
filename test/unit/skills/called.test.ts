// Skills that the person calls in the chat by /name.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { createChatController } from "../../../src/chat/controller.ts";
import { listSlashCommands } from "../../../src/chat/slashCommands.ts";
import { resolveSkillCall } from "../../../src/session/prompt/promptCommands.ts";
import type { Update } from "../../../src/shared/protocol/chat.ts";
import { closeTestSessions, openTestSession } from "../session/testSession.ts";

describe("a skill called by the person", () => {
	const home = mkdtempSync(join(tmpdir(), "troupe-called-"));

	before(() => {
		const put = (name: string, more: string) => {
			mkdirSync(join(home, ".claude/skills", name), { recursive: true });
			writeFileSync(
				join(home, ".claude/skills", name, "SKILL.md"),
				`---\nname: ${name}\ndescription: About it.\n${more}---\nMind the gap.\n`,
			);
		};
		put("release-2", "disable-model-invocation: true\n");
		put("silent", "user-invocable: false\n");
		put("plan", "");
	});
	after(() => rmSync(home, { recursive: true, force: true }));
	afterEach(closeTestSessions);

	it("comes along with the message that names it, and is in the list of commands", async () => {
		const { session, app, event } = await openTestSession([], { skillHome: home });
		await app.skills.library.look();
		const names = listSlashCommands(session.policy, session).map(({ name }) => name);
		assert.ok(names.includes("release-2"));
		assert.ok(!names.includes("silent"));
		assert.equal(names.filter((name) => name === "plan").length, 1);
		const hints: string[] = [];
		const host = {
			post: (update: Update) => void (update.type === "hint" && hints.push(update.text)),
			shown: () => undefined,
			pageFocus: () => undefined,
			health: () => undefined,
		};
		const chat = createChatController(app, host as unknown as ChatHost, session.sessionId);
		const { sessionId } = session;
		await chat.handle({ type: "ready" });
		await chat.handle({ type: "send", session: sessionId, text: "/release-2 of today" });
		await chat.handle({ type: "send", session: sessionId, text: "/silent now" });
		const message = await event("user");
		assert.equal(message.text, "/release-2 of today");
		assert.deepEqual(
			message.attachments?.map(({ label, text }) => [label, text.includes("Mind the gap.")]),
			[["/release-2", true]],
		);
		assert.match(hints.join(), /command \/silent doesn't exist/);
		assert.equal(session.state.events.filter(({ type }) => type === "user").length, 1);
		chat.dispose();
	});

	it("is none that the agent's lists keep out, none that has changed since, and cut where it is long", async () => {
		const agents = [{ agentId: "plain", displayName: "Plain", skillDenylist: ["user"] }];
		const { session, app } = await openTestSession([], { skillHome: home, agents });
		await app.skills.library.look();
		assert.match((await resolveSkillCall(session, "/release-2 of today"))?.text ?? "", /Mind the gap\.$/);
		await session.setAgent("plain");
		assert.equal(await resolveSkillCall(session, "/release-2 of today"), undefined);
		assert.ok(!listSlashCommands(session.policy, session).some(({ name }) => name === "release-2"));
		await session.setAgent("default");
		const path = join(home, ".claude/skills/release-2/SKILL.md");
		writeFileSync(path, `${readFileSync(path, "utf8")}${"é".repeat(20_000)}\n`);
		await assert.rejects(resolveSkillCall(session, "/release-2 of today"), /has changed since/);
		await app.skills.library.look();
		const { text = "" } = (await resolveSkillCall(session, "/release-2 of today")) ?? {};
		assert.match(text, /é\n\[cut\]$/);
		assert.ok(Buffer.byteLength(text) < 33_000);
	});
});
