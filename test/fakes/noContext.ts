// The switch of the context line where nobody looks at anything: always on, and nothing to say.
import type { ContextSwitch } from "../../src/core/prompt/parts.ts";

export const noContext: ContextSwitch = {
	on: () => true,
	turn: async () => undefined,
	mode: () => undefined,
	onChange: () => ({ dispose: () => undefined }),
};
