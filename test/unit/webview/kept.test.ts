// Tests state that persists over a page reload, and its removal with a deleted session.
import assert from "node:assert/strict";

describe("what the page keeps", () => {
	it("goes with its session, and leaves that of others", async () => {
		let state: unknown;
		const kept = {
			drafts: { gone: { text: "a secret thought", pictures: [] }, other: "still here" },
			scroll: { gone: 120, other: 7 },
			open: { item: true },
		};
		Object.assign(globalThis, {
			document: { querySelector: () => null },
			acquireVsCodeApi: () => ({ postMessage: () => undefined, getState: () => kept, setState: (given: unknown) => (state = given) }),
		});
		const { handleComposerUpdate } = await import("../../../webview-ui/composer/updates.ts");
		assert.equal(handleComposerUpdate({ type: "forget", session: "gone" }), true);
		assert.deepEqual(state, { drafts: { other: "still here" }, scroll: { other: 7 }, open: { item: true } });
	});
});
