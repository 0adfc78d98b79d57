// Tests the one-time notifications about approvals after an update.
import assert from "node:assert/strict";
import { type ApprovalNotificationOptions, type GrantRow, notifyApprovalChanges } from "../../../src/session/approvals/grantRows.ts";

const row = (entry: string, more: Partial<GrantRow> = {}): GrantRow => ({
	agentId: "default",
	agent: "Default",
	entry,
	place: "",
	sentence: "",
	outdated: true,
	...more,
});

/** A person who chooses that button wherever it is offered. */
function person(chooses = "") {
	const said: string[] = [];
	const done: string[] = [];
	const kept = new Map<string, unknown>();
	const parts: ApprovalNotificationOptions = {
		outdated: async () => [],
		asksForAll: () => false,
		askForReading: async () => done.push("ask"),
		told: { get: (key) => kept.get(key), update: async (key, value) => void kept.set(key, value) },
		async say(text, ...buttons) {
			said.push(text);
			return buttons.find((button) => button === chooses);
		},
		showApprovals: async () => done.push("show"),
	};
	return { said, done, parts };
}

describe("the news of approvals", () => {
	it("are told once of approvals that no longer apply, and again of others only", async () => {
		const { said, done, parts } = person("Show Approvals");
		const rows = [row("execute_command(cp)"), row("execute_command(cp)", { workspace: "office" }), row("{", { unreadable: "{" })];
		for (let start = 0; start < 2; start++) await notifyApprovalChanges({ ...parts, outdated: async () => rows });
		assert.deepEqual([said, done], [["3 saved approvals or rules cover less than before, so Troupe asks again."], ["show"]]);
		rows.push(row("execute_command(find)"));
		await notifyApprovalChanges({ ...parts, outdated: async () => rows });
		assert.equal(said.at(-1), "1 saved approval or rule covers less than before, so Troupe asks again.");
		assert.equal(said.length, 2);
	});

	it("tell whoever had set that everything asks, once, with a button that keeps it so", async () => {
		const { said, done, parts } = person("Require Approval");
		for (let start = 0; start < 2; start++) await notifyApprovalChanges({ ...parts, asksForAll: () => true });
		assert.deepEqual([said, done], [["Read-only commands, such as ls and git status, now run without approval."], ["ask"]]);
		const calm = person("OK");
		await notifyApprovalChanges({ ...calm.parts, asksForAll: () => true });
		assert.deepEqual(calm.done, []);
	});

	it("tell nobody else, not even when they set it later", async () => {
		const { said, parts } = person();
		await notifyApprovalChanges(parts);
		await notifyApprovalChanges({ ...parts, asksForAll: () => true });
		assert.deepEqual(said, []);
	});
});
