// Tests storage of version 0.1.0 with today's gate: valid approvals, new questions and the approval list.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notifyApprovalChanges } from "../../../src/session/approvals/grantRows.ts";
import { createApprovalList } from "../../../src/sessions/approvalList.ts";
import { closeTestSessions, openTestSession, results, type TestSession } from "./testSession.ts";

const PACKAGE = { "package.json": '{ "scripts": { "test": "echo tested" } }\n', "a.txt": "one\n", Makefile: "test:\n\techo made\n" };

let homes: string[] = [];

/** The storage as 0.1.0 left it, of the workspace that the app will open. */
function homeOf010(): string {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-of-before-")));
	homes.push(home);
	mkdirSync(join(home, "workspace"));
	cpSync("test/fixtures/storage-0.1.0", join(home, "global"), { recursive: true });
	const path = join(home, "global", "grants.json");
	writeFileSync(path, readFileSync(path, "utf8").replaceAll("WORKSPACE", join(home, "workspace")));
	return home;
}

/** Runs these lines one after the other, and denies whatever is asked; resolves with those that were. */
async function asks(lines: string[], files: Record<string, string>): Promise<{ setup: TestSession; asked: string[] }> {
	const left = [...lines];
	const setup = await openTestSession(
		(request) => {
			const command = request.events.at(-1)?.type === "result" ? undefined : left.shift();
			return command === undefined ? { text: "Done." } : { calls: [{ name: "execute_command", input: { command } }] };
		},
		{
			home: homeOf010(),
			files,
			role: "actor",
			settings: { rules: { deny: [], ask: [], allow: ["web_fetch", "execute_command(git push)"] } },
		},
	);
	setup.app.sessions.listen({
		event(_, event) {
			if (event.type !== "asked") return;
			setup.clock.ahead += 1_000;
			void setup.session.answer(event.request, { allow: false }, "person", event.hash);
		},
	});
	for (const _ of lines) await setup.session.send("Go");
	return { setup, asked: setup.session.state.events.flatMap((event) => (event.type === "asked" ? [event.summary] : [])) };
}

describe("a storage of 0.1.0", () => {
	afterEach(closeTestSessions);
	after(() => {
		for (const home of homes) rmSync(home, { recursive: true, force: true });
		homes = [];
	});

	it("lets go ahead what the rules of today would offer alike, and nothing else", async () => {
		const lines = ["npm test", "make test", "cargo test", "rustfmt a.rs", "cp a.txt b.txt", "find . -delete"];
		const { setup, asked } = await asks(lines, PACKAGE);
		assert.deepEqual(asked, ["Run make test", "Run cargo test", "Run rustfmt a.rs", "Run find . -delete"]);
		assert.deepEqual(
			results(setup.session).map(({ status }) => status),
			["ok", "denied", "denied", "denied", "ok", "denied"],
		);
	});

	it("does not know the package manager of a manifest that names one", async () => {
		const { asked } = await asks(["npm test"], {
			"package.json": '{ "packageManager": "npm@10.0.0", "scripts": { "test": "echo tested" } }\n',
		});
		assert.deepEqual(asked, ["Run npm test"]);
	});

	it("is listed whole, with a reason for each that no longer applies", async () => {
		const { setup } = await asks([], PACKAGE);
		const list = createApprovalList(setup.app.sessions);
		const rows = await list.rows();
		assert.deepEqual(
			rows.map(({ entry, ended, unreadable }) => [unreadable === undefined ? entry : "unreadable", ended !== undefined]),
			[
				["execute_command(npm test)", false],
				["execute_command(git add)", false],
				["execute_command(git status)", false],
				["execute_command(cargo test)", true],
				["execute_command(make test)", true],
				["execute_command(cp)", false],
				["execute_command(touch)", false],
				["execute_command(find)", false],
				["execute_command(rustfmt)", true],
				["update_file", false],
				["web_fetch(https://example.org)", false],
				["mcp__things__list", false],
				["execute_command(npm run build)", true],
				["web_fetch", false],
				["unreadable", true],
				["unreadable", true],
				["unreadable", true],
			],
		);
		const unbound = rows.find(({ entry }) => entry === "execute_command(cargo test)");
		assert.match(unbound?.ended ?? "", /doesn't specify which files define what runs/);
		const outdated = await list.outdated();
		assert.equal(outdated.length, 7);
		const rule = outdated.find(({ entry }) => entry === "web_fetch");
		assert.ok(rule);
		assert.ok(rule.outdated);
		await assert.rejects(list.revoke(rule), /Change it in Settings/);
	});

	it("is told once", async () => {
		const { setup } = await asks([], PACKAGE);
		const said: string[] = [];
		const kept = new Map<string, unknown>();
		for (let start = 0; start < 2; start++) {
			await notifyApprovalChanges({
				outdated: createApprovalList(setup.app.sessions).outdated,
				asksForAll: () => false,
				askForReading: async () => undefined,
				told: { get: (key) => kept.get(key), update: async (key, value) => void kept.set(key, value) },
				say: async (text) => void said.push(text),
				showApprovals: async () => undefined,
			});
		}
		assert.deepEqual([said.length, said[0]?.startsWith("7 ")], [1, true]);
	});
});
