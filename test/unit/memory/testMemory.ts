// A session of an agent that keeps memory, with its folders on disk.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentDefinition } from "../../../src/core/role.ts";
import type { ScriptedAnswer, ScriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestSession, type TestSession } from "../session/testSession.ts";

const keeper: AgentDefinition = { agentId: "keeper", displayName: "Keeper", systemPrompt: "You keep.", optIn: ["memory"] };

export interface TestMemory extends TestSession {
	/** Absolute path of a memory file. */
	at(path: string): string;
	text(path: string): string | undefined;
	put(path: string, text: string | Uint8Array): void;
	/** What the calls returned, in order. */
	outputs(): { status: string; output: string }[];
}

export async function openTestMemory(
	script: ScriptedAnswer[] | ((...given: never[]) => ScriptedAnswer),
	options: Parameters<typeof openTestSession>[1] & { keeper?: Partial<AgentDefinition> } = {},
): Promise<TestMemory> {
	const { keeper: more, ...rest } = options;
	const set = await openTestSession(script as ScriptedAnswer[], { agents: [{ ...keeper, ...more }], ...rest });
	await set.session.setAgent("keeper");
	const { storage } = set.app;
	const folders = { person: join(dirname(storage), "global", "memory"), workspace: join(storage, "memory") };
	const at = (path: string) => {
		const [folder, name = ""] = path.split("/");
		return join(folders[folder as keyof typeof folders], name);
	};
	return {
		...set,
		at,
		text: (path) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined),
		put(path, text) {
			mkdirSync(dirname(at(path)), { recursive: true });
			writeFileSync(at(path), text);
		},
		outputs: () =>
			[...set.session.state.calls.values()].flatMap(({ result }) => (result ? [{ status: result.status, output: result.output }] : [])),
	};
}

export const call = (name: string, input: object): ScriptedAnswer => ({ calls: [{ name, input }] });

/** One call after the other in one turn. */
export const turnOf = (...calls: ScriptedAnswer[]): ScriptedAnswer[] => [...calls, { text: "Done." }];

/** What the last message of a request says to the model beside its text. */
export function contextOf({ requests }: ScriptedModel, index: number): string {
	const last = requests[index]?.events.findLast(({ type }) => type === "user");
	return last?.type === "user" ? (last.context ?? "") : "";
}
