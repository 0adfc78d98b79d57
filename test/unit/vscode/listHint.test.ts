// A new list says in its editor how items are written, until something is written.
import assert from "node:assert/strict";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Hint = typeof import("../../../src/vscode/artifacts/emptyListHint.ts");

describe("an empty list in its editor", () => {
	it("shows how items are written, and nothing else does; it goes with the first letter and comes back when all is deleted", async () => {
		const at = await onEditorWindow<Hint>("listHint", "src/vscode/artifacts/emptyListHint.ts");
		const editor = (path: string, text: string) => {
			const shown: string[][] = [];
			const document = { uri: { scheme: "troupe-artifact", path }, text, getText: () => document.text };
			const setDecorations = ({ after }: { after: { contentText: string } }, ranges: unknown[]) =>
				void shown.push(ranges.map(() => after.contentText));
			return { document, setDecorations, shown };
		};
		const list = editor("/list/l1/Bugs.md", "");
		const others = [editor("/list/l2/Full.md", "- [ ] a\n"), editor("/note/n1/Idea.md", ""), editor("/list/l1/Bugs.json", "")];
		at.window.visibleTextEditors.push(list, ...others);
		at.registerEmptyListHint();
		assert.match(list.shown.at(-1)?.[0] ?? "", /^- \[ \] One item per line\. Use \[x\] for done and #tag/);
		assert.deepEqual(
			others.map(({ shown }) => shown),
			[[[]], [], []],
		);
		list.document.text = "- [ ] a";
		at.changed.text({ document: list.document });
		assert.deepEqual(list.shown.at(-1), []);
		list.document.text = "";
		at.changed.editors();
		assert.equal(list.shown.at(-1)?.length, 1);
	});
});
