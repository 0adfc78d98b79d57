// Tests review notifications for workspace agents and skills: announced once, without interrupting.
import assert from "node:assert/strict";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Review = typeof import("../../../src/vscode/approvals/reviewNotifications.ts");
type Loaded = Awaited<ReturnType<typeof onEditorWindow<Review>>>;

function memory() {
	const kept = new Map<string, unknown>();
	return { kept, get: (key: string) => kept.get(key), update: async (key: string, value: unknown) => void kept.set(key, value) };
}

const agent = (label: string, changed = false) => ({
	label,
	hash: `${label}${changed}`,
	changed,
	source: { path: `/w/${label}.json` },
	definition: { agentId: label },
});
const skill = (name: string, changed = false) => ({ name, hash: `${name}${changed}`, changed, path: `/w/${name}/SKILL.md` });

describe("what waits for review in a workspace", () => {
	let at: Loaded;

	before(async () => {
		at = await onEditorWindow<Review>("waitingReview", "src/vscode/approvals/reviewNotifications.ts");
	});
	beforeEach(() => {
		at.shown.length = 0;
		at.presses(undefined);
	});

	/** Opens a window on the workspace, and says what it announces. */
	async function opened(
		{ workspace, everywhere }: Record<"workspace" | "everywhere", ReturnType<typeof memory>>,
		agents: object[],
		skills: object[],
	): Promise<string[]> {
		const listeners: (() => void)[] = [];
		const onChange = (listener: () => void) => {
			listeners.push(listener);
			return { dispose: () => undefined };
		};
		const registry = { catalog: () => ({ agents: [], broken: [], waiting: agents }), onChange };
		const shelf = { now: () => ({ skills: [], broken: [], waiting: skills }), onChange };
		const end = at.notifyReviewsNeeded({ registry, skills: shelf, workspace, everywhere, gather: 1 } as unknown as Parameters<
			Loaded["notifyReviewsNeeded"]
		>[0]);
		// Rooms report one after the other, and again.
		for (const listener of listeners) listener();
		await new Promise((resolve) => setTimeout(resolve, 15));
		for (const listener of listeners) listener();
		await new Promise((resolve) => setTimeout(resolve, 15));
		end.dispose();
		return at.shown.splice(0).map(({ text }) => text);
	}

	it("is one message for agents and skills, once, and again only for what had been approved and changed", async () => {
		const at = { workspace: memory(), everywhere: memory() };
		const all = "This workspace contains agents and skills that need your review: writer, greet.";
		assert.deepEqual(await opened(at, [agent("writer")], [skill("greet")]), [all]);
		assert.deepEqual(await opened(at, [agent("writer"), agent("other")], [skill("greet")]), []);
		const changed = "This workspace contains skills that need your review: greet.";
		assert.deepEqual(await opened(at, [agent("writer")], [skill("greet", true)]), [changed]);
		assert.deepEqual(await opened(at, [agent("writer")], [skill("greet", true)]), []);
	});

	it("is never announced again in any workspace after “Don't Ask Again”", async () => {
		const everywhere = memory();
		at.presses("Don't Ask Again");
		assert.equal((await opened({ workspace: memory(), everywhere }, [agent("writer")], [])).length, 1);
		assert.deepEqual(await opened({ workspace: memory(), everywhere }, [agent("another")], [skill("greet")]), []);
	});

	it("leads from the button to the one thing there is, or to the rows of several", async () => {
		at.presses("Review");
		const led: unknown[] = [];
		for (const id of ["troupe.reviewAgent", "troupe.reviewSkills", "troupe.agents.focus"])
			at.handlers.set(id, (target) => led.push([id, target]));
		const fresh = () => ({ workspace: memory(), everywhere: memory() });
		await opened(fresh(), [], [skill("greet")]);
		await opened(fresh(), [agent("one"), agent("two")], []);
		await opened(fresh(), [agent("one")], [skill("greet")]);
		assert.deepEqual(led, [
			["troupe.reviewSkills", { path: "/w/greet/SKILL.md" }],
			["troupe.reviewAgent", undefined],
			["troupe.agents.focus", undefined],
		]);
	});
});
