// Stores a runtime's own session data between turns, per agent, in the session's metadata.
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../core/isRecord.ts";
import type { RuntimeStore } from "../../core/ports/runtime.ts";
import type { SessionContext } from "../sessionContext.ts";

/** The session attribute that holds the data: by agent, then by name. */
export const RUNTIME_ATTRIBUTE = "runtime";
const MOST_CHARACTERS = 4_000;

export function createRuntimeStore(
	{ services: { store }, sessionId }: Pick<SessionContext, "services" | "sessionId">,
	agent: string,
): RuntimeStore {
	async function read() {
		const attributes = (await store.find(sessionId))?.attributes ?? {};
		const all = textsByAgent(attributes[RUNTIME_ATTRIBUTE]);
		return { attributes, all, texts: all[agent] ?? {} };
	}

	return {
		get: async (name) => {
			const { texts } = await read();
			return Object.hasOwn(texts, name) ? texts[name] : undefined;
		},
		async set(name, value) {
			const { attributes, all, texts } = await read();
			const { [name]: _, ...rest } = texts;
			const next = value === undefined ? rest : { ...rest, [name]: value };
			if (isDeepStrictEqual(texts, next)) return;
			const size = Object.entries(next).reduce((sum, [key, text]) => sum + key.length + text.length, 0);
			if (size > MOST_CHARACTERS) throw new RangeError(`A runtime keeps at most ${MOST_CHARACTERS} characters of a session.`);
			await store.update(sessionId, { attributes: { ...attributes, [RUNTIME_ATTRIBUTE]: { ...all, [agent]: next } } });
		},
	};
}

/** Validates data from disk, which may contain anything. */
function textsByAgent(value: unknown): Record<string, Record<string, string>> {
	const entries = Object.entries(isRecord(value) ? value : {}).filter((entry): entry is [string, Record<string, unknown>] =>
		isRecord(entry[1]),
	);
	return Object.fromEntries(
		entries.map(([agent, texts]) => [
			agent,
			Object.fromEntries(Object.entries(texts).filter((pair): pair is [string, string] => typeof pair[1] === "string")),
		]),
	);
}
