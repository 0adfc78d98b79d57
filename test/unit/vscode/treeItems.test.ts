// Rows of sessions in the tree: calls between agents.
import assert from "node:assert/strict";
import type { SessionSummary } from "../../../src/core/events.ts";
import type { SessionRow } from "../../../src/vscode/agents/treeItems.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Items = Pick<typeof import("../../../src/vscode/agents/treeItems.ts"), "sessionTreeItem">;
interface Row {
	description: string;
	tooltip: { value: string };
	accessibilityInformation: { label: string };
}

const session: SessionSummary = {
	...{ sessionId: "s1", agentId: "docs", name: "Release notes", role: "planner", messageCount: 1 },
	...{ createdAt: "2025-01-15T14:07:00Z", updatedAt: "2025-01-15T14:07:00Z" },
};

describe("a session in the tree", () => {
	let items: Items;
	before(async () => {
		items = await onEditorWindow<Items>("treeItems", "src/vscode/agents/treeItems.ts");
	});
	const row = (over: Partial<SessionRow>) =>
		items.sessionTreeItem(session, {
			role: undefined,
			now: "running",
			open: false,
			calls: 0,
			tasks: { count: 0, active: 0, interrupted: false },
			...over,
		}) as unknown as Row;

	it("says which agent called it", () => {
		const { description, tooltip, accessibilityInformation } = row({ calledBy: "General Assistant" });
		assert.match(description, /^running · called by General Assistant · /);
		assert.match(tooltip.value, /called&nbsp;by&nbsp;General&nbsp;Assistant/);
		assert.match(accessibilityInformation.label, /running, called by General Assistant/);
	});

	it("says how many agents it waits for", () => {
		assert.match(row({ calls: 1 }).description, /^running · waits for 1 agent · /);
		assert.match(row({ calls: 3 }).description, /^running · waits for 3 agents · /);
	});

	it("says nothing of calls without one", () => {
		assert.doesNotMatch(row({}).description, /called|waits/);
	});
});
