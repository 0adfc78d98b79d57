// Troupe in the status bar: what it says, and that a click which widens the role can be taken back.
import assert from "node:assert/strict";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";
import { closeTestSessions, openTestSession } from "../session/testSession.ts";

type Parts = typeof import("../../../src/vscode/statusBar/roleItem.ts") & typeof import("../../../src/vscode/statusBar/toggleRole.ts");
type Editor = typeof import("../../fakes/editorWindow.ts");

describe("the status bar", () => {
	let editor: Parts & Editor;

	before(async () => {
		editor = await onEditorWindow<Parts>("status", "src/vscode/statusBar/roleItem.ts", "src/vscode/statusBar/toggleRole.ts");
	});
	afterEach(closeTestSessions);

	it("names Troupe and the role, and says what runs and, before that, what waits", () => {
		const state = { get: () => undefined, update: async () => undefined } as never;
		const item = editor.createRoleStatusBarItem(state);
		const [shown] = editor.statusItems.slice(-1);
		assert.ok(shown);
		assert.equal(shown.text, "$(checklist) Troupe: Planner");
		item.setRole({ label: "Actor", icon: "play" });
		assert.equal(shown.text, "$(play) Troupe: Actor");
		item.setActivity({ runningTurns: 1, pendingRequests: 0 });
		assert.equal(shown.text, "$(play) Troupe: Actor $(sync~spin)");
		assert.match(shown.tooltip, /1 turn is running/);
		item.setActivity({ runningTurns: 1, pendingRequests: 2 });
		assert.equal(shown.text, "$(play) Troupe: Actor $(bell-dot) 2");
		assert.equal(shown.accessibilityInformation?.label, "Troupe: Actor, 2 approvals and questions pending");
	});

	it("tells what a click has widened, and takes it back", async () => {
		const { session, next } = await openTestSession([], { role: "planner" });
		const change = (role: string) => session.setRole(role);
		editor.presses("Undo");
		const changed = next("role");
		await editor.toggleRole(session, change);
		assert.equal((await changed).role, "actor");
		while (session.state.role !== "planner") await next("role");
		const told = editor.shown.pop();
		assert.match(told?.text ?? "", /^Switched to Actor. Additional permissions: change files, create files, delete files, run commands/);
		assert.deepEqual(told?.buttons, ["Undo"]);
	});

	it("says nothing where the click has narrowed the role or changed nothing", async () => {
		const { session } = await openTestSession([], { role: "actor" });
		const before = editor.shown.length;
		await editor.toggleRole(session, (role) => session.setRole(role));
		assert.equal(session.state.role, "planner");
		await editor.toggleRole(session, async () => undefined);
		assert.equal(session.state.role, "planner");
		assert.equal(editor.shown.length, before);
	});

	it("leads from any other role to the first that a click switches between", async () => {
		const { session } = await openTestSession([], { role: "tester" });
		await editor.toggleRole(session, (role) => session.setRole(role));
		assert.equal(session.state.role, "planner");
	});
});
