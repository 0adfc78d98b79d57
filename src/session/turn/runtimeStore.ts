// A runtime's own data of a session, kept between turns in its metadata, per agent.
import { isDeepStrictEqual } from "node:util";
import type { RuntimeStore } from "../../core/ports/runtime.ts";
import type { SessionContext } from "../context.ts";

/** The session's attribute that holds it: by agent, then by name. */
export const RUNTIME_ATTRIBUTE = "runtime";
const MOST_CHARACTERS = 4_000;

export function createRuntimeStore(
	{ services: { store }, sessionId }: Pick<SessionContext, "services" | "sessionId">,
	agent: string,
): RuntimeStore {
	async function read() {
		const attributes = (await listed())?.attributes ?? {};
		const all = textsByAgent(attributes[RUNTIME_ATTRIBUTE]);
		return { attributes, all, own: all[agent] ?? {} };
	}

	async function listed() {
		for (const kind of ["session", "task"] as const) {
			const found = (await store.list(kind)).find((session) => session.sessionId === sessionId);
			if (found) return found;
		}
		return undefined;
	}

	return {
		get: async (name) => {
			const { own } = await read();
			return Object.hasOwn(own, name) ? own[name] : undefined;
		},
		async set(name, value) {
			const { attributes, all, own } = await read();
			const { [name]: _, ...rest } = own;
			const next = value === undefined ? rest : { ...rest, [name]: value };
			if (isDeepStrictEqual(own, next)) return;
			const size = Object.entries(next).reduce((sum, [key, text]) => sum + key.length + text.length, 0);
			if (size > MOST_CHARACTERS) throw new RangeError(`A runtime keeps at most ${MOST_CHARACTERS} characters of a session.`);
			await store.update(sessionId, { attributes: { ...attributes, [RUNTIME_ATTRIBUTE]: { ...all, [agent]: next } } });
		},
	};
}

/** What is on disk may be anything. */
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

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
