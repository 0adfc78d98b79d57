// What the host tells the composer.
import type { Update } from "../../src/shared/protocol/chat.ts";
import { earlierMatches } from "../find/find.ts";
import { forget } from "../persistedState.ts";
import { offer } from "./completion.ts";
import { hint } from "./hint.ts";
import { drawnByHost, keptByHost, scaleForHost } from "./pictures.ts";

type Takers = { [T in Update["type"]]?: (update: Extract<Update, { type: T }>) => unknown };

const takers: Takers = {
	foundEarlier: ({ words, before, count, seq }) => {
		earlierMatches.value = { words, before, count, ...(seq !== undefined && { seq }) };
	},
	hint: ({ text }) => hint(text),
	forget: ({ session }) => forget(session),
	suggestions: ({ ask, items }) => offer(ask, items),
	pictureKept: keptByHost,
	picture: drawnByHost,
	scale: (update) => void scaleForHost(update),
};

/** Whether it was for the composer. */
export function takeUpdate(update: Update): boolean {
	const take = takers[update.type] as ((update: Update) => unknown) | undefined;
	take?.(update);
	return take !== undefined;
}
