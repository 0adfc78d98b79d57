// The switch of the context line where nobody looks at anything: always on, and nothing to say.
import type { EditorContextSetting } from "../../src/core/ports/promptSources.ts";

export const noContext: EditorContextSetting = {
	on: () => true,
	turn: async () => undefined,
	mode: () => undefined,
	onChange: () => ({ dispose: () => undefined }),
};
