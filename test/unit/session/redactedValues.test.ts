// The person's secrets in results: blank to the model and in the transcript, and never written as their blank.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRedactedValues, REDACTED_VALUE } from "../../../src/session/transcript/redactedValues.ts";
import { closeTestSessions, openTestSession, results } from "./testSession.ts";

const SECRET = "sk-live-0123456789abcdef";
const FILES = { "src/config.ts": `export const key = "${SECRET}";\nexport const port = 1;\n` };
const READ = { name: "read_file", input: { path: "src/config.ts" } };

describe("a secret of the person", () => {
	afterEach(closeTestSessions);

	it("is blank in results of every kind, for the model, the transcript and the disk", async () => {
		const calls = [
			READ,
			{ name: "search_code", input: { pattern: "key" } },
			{
				name: "execute_command",
				input: {
					command: `cat src/config.ts; node -e "console.log('x'.repeat(40000) + '${SECRET.slice(0, 12)}' + '${SECRET.slice(12)}')"`,
				},
			},
			{ name: "update_file", input: { path: "src/config.ts", old: "port = 1", new: "port = 2" } },
			{ name: "update_file", input: { path: "src/config.ts", old: "no such line", new: "x" } },
		];
		const script = [...calls.map((call) => ({ calls: [call] })), { text: "Done." }];
		const setup = await openTestSession(script, { files: FILES, role: "actor", settings: { approval: "auto" }, hidden: [SECRET, "short"] });
		const turn = setup.session.send("Look");
		await setup.answer({ allow: true });
		await turn;
		const given = results(setup.session);
		assert.deepEqual(
			given.map(({ status }) => status),
			["ok", "ok", "ok", "ok", "error"],
		);
		for (const index of [0, 1, 2]) assert.ok(given[index]?.output.includes(REDACTED_VALUE), given[index]?.output.slice(0, 300));
		const { events } = await setup.app.store.read(setup.summary.sessionId);
		assert.doesNotMatch(JSON.stringify(events.filter(({ type }) => type === "result")), new RegExp(SECRET));
		assert.doesNotMatch(
			JSON.stringify(setup.model.requests.flatMap((request) => request.events.filter(({ type }) => type === "result"))),
			new RegExp(SECRET),
		);
		assert.equal(readFileSync(join(setup.app.folder, "src/config.ts"), "utf8"), FILES["src/config.ts"].replace("port = 1", "port = 2"));
	});

	it("is not overwritten with its blank", async () => {
		const content = `export const key = "${REDACTED_VALUE}";\n`;
		const calls = [
			READ,
			{ name: "update_file", input: { path: "src/config.ts", old: "port = 1;", new: content } },
			{ name: "apply_patch", input: { patch: `*** Begin Patch\n*** Add File: b.ts\n+${content}*** End Patch` } },
			{ name: "create_file", input: { path: "c.ts", content } },
			{ name: "execute_command", input: { command: `echo '${REDACTED_VALUE}' > d.txt` } },
			{ name: "notes_write", input: { title: "Keys", text: content } },
			{ name: "search_code", input: { pattern: REDACTED_VALUE.slice(1, -1) } },
		];
		const script = [...calls.map((call) => ({ calls: [call] })), { text: "Done." }];
		const setup = await openTestSession(script, { files: FILES, role: "actor", settings: { approval: "auto" }, hidden: [SECRET] });
		await setup.session.send("Write");
		const given = results(setup.session);
		for (const { tool, status, output } of given.slice(1, -1)) {
			assert.equal(status, "error", tool);
			assert.match(output, /stands for a secret that you are not shown.*Nothing ran/, tool);
		}
		assert.equal(given.at(-1)?.status, "ok");
		assert.equal(readFileSync(join(setup.app.folder, "src/config.ts"), "utf8"), FILES["src/config.ts"]);
	});

	it("is what the secret storage holds, tokens within, and what variables hold that are named so", async () => {
		const stored: Record<string, string> = {
			"troupe.key.openai": "sk-of-the-storage",
			"troupe.mcp.linear": JSON.stringify({
				tokens: { access_token: "token-of-linear", scope: "read:everything" },
				client: { client_secret: "their-secret" },
			}),
		};
		const environment = {
			OPENAI_API_KEY: "sk-of-the-variable",
			ANTHROPIC_API_KEY: "sk-ant-variable",
			GITHUB_TOKEN: "ghp_variable_one",
			NPM_TOKEN: "npm_variable_one",
			AWS_SECRET_ACCESS_KEY: "aws-secret-value",
			AWS_ACCESS_KEY_ID: "AKIAVARIABLE1234",
			AWS_SESSION_TOKEN: "aws-session-value",
			DB_PASSWORD: "correct horse battery",
			AWS_REGION: "ap-southeast-1",
			GOOGLE_APPLICATION_CREDENTIALS: "/home/somebody/key.json",
			SSH_AUTH_SOCK: "/tmp/ssh-agent.sock",
			HOME: "/home/somebody",
			NODE_OPTIONS: "--max-old-space-size=4096",
		};
		let asked = 0;
		const names = async () => {
			asked += 1;
			return Object.keys(stored);
		};
		const hidden = createRedactedValues({ names, secrets: { get: async (name) => stored[name] }, environment });
		const first = await hidden.values();
		assert.deepEqual(
			[...first].sort(),
			[
				...["AKIAVARIABLE1234", "aws-secret-value", "aws-session-value", "correct horse battery", "ghp_variable_one", "npm_variable_one"],
				...["sk-ant-variable", "sk-of-the-storage", "sk-of-the-variable", "their-secret", "token-of-linear"],
			].sort(),
		);
		await hidden.values();
		assert.equal(asked, 1);
		stored["troupe.secret.NEW"] = "a-new-secret-value";
		hidden.invalidate();
		assert.ok((await hidden.values()).includes("a-new-secret-value"));
	});
});
