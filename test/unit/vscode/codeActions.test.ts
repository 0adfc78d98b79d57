// The light bulb's "Fix with Troupe": it says where the message goes before it is sent.
import assert from "node:assert/strict";
import { createTranscript } from "../../../src/core/transcript/fold.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Bulb = typeof import("../../../src/vscode/integrations/codeActions.ts") &
	typeof import("../../../src/vscode/integrations/sendToChat.ts");
type Loaded = Awaited<ReturnType<typeof onEditorWindow<Bulb>>>;

describe("Fix with Troupe", () => {
	let at: Loaded;
	before(async () => {
		at = await onEditorWindow<Bulb>("codeActions", "src/vscode/integrations/codeActions.ts", "src/vscode/integrations/sendToChat.ts");
	});

	async function titles(to: Awaited<ReturnType<Loaded["findDestination"]>>, explains = to): Promise<string[]> {
		const provider = at.createProblemActionProvider(async (readsOnly) => (readsOnly ? explains : to));
		const diagnostic = { range: { start: { line: 1 }, end: { line: 1 } }, message: "Something is off" };
		const given = [{ uri: { scheme: "file" } }, {}, { diagnostics: [diagnostic] }, {}] as unknown as Parameters<
			typeof provider.provideCodeActions
		>;
		return ((await provider.provideCodeActions(...given)) ?? []).map(({ title }) => title);
	}

	it("names the session that takes it, or that it is a new one; one that changes things explains nothing", async () => {
		assert.deepEqual(await titles(undefined), ["Fix with Troupe", "Explain with Troupe"]);
		assert.deepEqual(await titles({ title: "Prices\u202e" }, "new"), [
			"Fix with Troupe in “Prices\\u{202e}”",
			"Explain with Troupe in a New Session",
		]);
		const [long = ""] = await titles({ title: "Rename formatPrice to formatMoney everywhere" });
		assert.equal(long, "Fix with Troupe in “Rename formatPrice to formatMoney every…”");
	});

	it("goes to the session that is shown, and to a new one while that is busy or a background task", async () => {
		const engine = (isRunning: boolean, kind?: "task") =>
			({
				sessions: {
					get: async () => ({ isRunning, state: createTranscript() }),
					find: async (sessionId: string) => ({ sessionId, name: "Prices", kind }),
				},
			}) as unknown as Parameters<Loaded["findDestination"]>[0];
		assert.deepEqual(await at.findDestination(engine(false), "s1", false), { title: "Prices" });
		assert.equal(await at.findDestination(engine(true), "s1", false), "new");
		assert.equal(await at.findDestination(engine(false, "task"), "t1", false), "new");
	});
});
