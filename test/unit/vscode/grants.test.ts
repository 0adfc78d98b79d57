// The list of approvals: what is allowed, and taking it back.
import assert from "node:assert/strict";
import type { GrantRow } from "../../../src/session/approvals/grantRows.ts";
import type { Engine } from "../../../src/vscode/engine.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Grants = typeof import("../../../src/vscode/approvals/approvalsPicker.ts") & typeof import("../../../src/core/userError.ts");
type Loaded = Awaited<ReturnType<typeof onEditorWindow<Grants>>>;

const row = (entry: string, rest: Partial<GrantRow> = {}): GrantRow => ({
	agentId: "default",
	agent: "General Assistant",
	entry,
	place: "in this workspace",
	sentence: `Allows ${entry}.`,
	...rest,
});

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("the list of approvals", () => {
	let at: Loaded;

	before(async () => {
		at = await onEditorWindow<Grants>("grants", "src/vscode/approvals/approvalsPicker.ts", "src/core/userError.ts");
	});

	async function opened(rows: GrantRow[], fails?: string) {
		const engine = {
			approvals: {
				rows: async () => [...rows],
				async revoke(one: GrantRow) {
					if (fails) throw new at.UserError(fails);
					rows.splice(
						rows.findIndex(({ entry }) => entry === one.entry),
						1,
					);
				},
				sandbox: () => "Sandbox unavailable.",
			},
			log: () => undefined,
		} as unknown as Engine;
		at.shown.length = 0;
		const done = at.manageApprovals(engine);
		await settled();
		const pick = at.picks.at(-1);
		assert.ok(pick);
		return { pick, done };
	}

	it("has no ticks: each row has Revoke, which says what happened and leaves the others", async () => {
		const { pick, done } = await opened([row("npm test"), row("git push")]);
		assert.equal(pick.canSelectMany, false);
		assert.deepEqual(
			pick.items.filter(({ kind }) => kind === undefined).map(({ label, buttons }) => [label, buttons?.[0]?.tooltip]),
			[
				["npm test", "Revoke"],
				["git push", "Revoke"],
				["Sandbox", "Open in Settings"],
			],
		);
		pick.press("npm test", "Revoke");
		await settled();
		assert.equal(at.shown.at(-1)?.text, "Revoked “npm test” for General Assistant. Troupe asks again from now on.");
		assert.throws(() => pick.row("npm test"));
		assert.ok(pick.visible && pick.row("git push"));
		pick.hide();
		await done;
	});

	it("asks before a chosen row is revoked, and revokes nothing on Cancel", async () => {
		const rows = [row("npm test"), row("git push")];
		const { pick } = await opened(rows);
		at.presses(undefined);
		pick.accept("npm test");
		await settled();
		assert.equal(at.shown.at(-1)?.text, "Revoke “npm test” for General Assistant?");
		assert.equal(rows.length, 2);
		at.presses("Revoke");
		pick.accept("npm test");
		await settled();
		assert.deepEqual(
			rows.map(({ entry }) => entry),
			["git push"],
		);
		pick.hide();
	});

	it("leads to the settings from the sandbox, which is no approval, and from what stands there", async () => {
		const { pick } = await opened([row("npm test", { inSettings: "troupe.agents" })]);
		const asked: unknown[] = [];
		at.handlers.set("workbench.action.openSettings", (name) => asked.push(name));
		pick.accept("Sandbox");
		pick.accept("npm test");
		await settled();
		assert.deepEqual(asked, ["troupe.sandbox", "troupe.agents"]);
		pick.hide();
	});

	it("keeps what could not be revoked, with the reason", async () => {
		const { pick } = await opened([row("npm test")], "The disk is full.");
		pick.press("npm test", "Revoke");
		await settled();
		assert.equal(at.shown.at(-1)?.text, "The disk is full.");
		assert.ok(pick.row("npm test"));
		pick.hide();
	});
});
