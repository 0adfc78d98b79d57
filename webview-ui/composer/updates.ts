// Dispatches updates from the host to the composer.
import type { Update } from "../../src/shared/protocol/chat.ts";
import { earlierMatches } from "../find/find.ts";
import { discardSessionState } from "../persistedState.ts";
import { setSuggestions } from "./completion.ts";
import { showHint } from "./hint.ts";
import { handleImageData, handleImageStored, scaleImageForHost } from "./images.ts";

type Takers = { [T in Update["type"]]?: (update: Extract<Update, { type: T }>) => unknown };

const handlers: Takers = {
	foundEarlier: ({ words, before, count, seq }) => {
		earlierMatches.value = { words, before, count, ...(seq !== undefined && { seq }) };
	},
	hint: ({ text }) => showHint(text),
	forget: ({ session }) => discardSessionState(session),
	suggestions: ({ ask, items }) => setSuggestions(ask, items),
	pictureKept: handleImageStored,
	picture: handleImageData,
	scale: (update) => void scaleImageForHost(update),
};

/** Returns true if the update was for the composer. */
export function handleComposerUpdate(update: Update): boolean {
	const take = handlers[update.type] as ((update: Update) => unknown) | undefined;
	take?.(update);
	return take !== undefined;
}
