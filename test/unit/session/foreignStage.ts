// Test fixture: a session of an agent that runs elsewhere, with its own model and tools.
import type { ForeignCall, ForeignVerdict } from "../../../src/core/ports/runtime.ts";
import { foreignRuntime, makeForeignCall } from "../../fakes/foreignRuntime.ts";
import { FILES, type Stage, stage } from "./stage.ts";

export const WRITER = { agentId: "elsewhere", displayName: "Elsewhere" };

/** A session of an agent that runs elsewhere; asking one of our models fails the test. */
export async function open(act: Parameters<typeof foreignRuntime>[0], options: Parameters<typeof stage>[1] = {}) {
	const runtime = foreignRuntime(act);
	const script = () => {
		throw new Error("A model of ours was asked.");
	};
	const scene = await stage(script, {
		files: FILES,
		agents: [WRITER],
		...options,
		runtime: ({ agentId }) => (agentId === WRITER.agentId ? runtime : undefined),
	});
	scene.house.services.model = async () => Promise.reject(new Error("A model of ours was chosen."));
	await scene.conversation.setAgent(WRITER.agentId);
	return { ...scene, runtime };
}

export const edit = (id: string): ForeignCall => ({
	call: { id, name: "Edit", input: { file_path: "src/hello.ts", old_string: '"hello"', new_string: '"HELLO"' } },
	uses: [{ as: "update_file", input: { path: "src/hello.ts", old: '"hello"', new: '"HELLO"' } }],
});
export const read = (id: string, path: string): ForeignCall => ({
	call: { id, name: "Read", input: { file: path } },
	uses: [{ as: "read_file", input: { path } }],
});
export const command = (id: string, line: string): ForeignCall => ({
	call: { id, name: "Bash", input: { command: line } },
	uses: [{ as: "execute_command", input: { command: line } }],
});

export async function verdictsOf(
	calls: readonly ForeignCall[],
	options: Parameters<typeof stage>[1] = {},
	from?: Parameters<Stage["conversation"]["send"]>[1],
) {
	const verdicts: ForeignVerdict[] = [];
	const scene = await open(async (turn) => {
		for (const call of calls) verdicts.push(await makeForeignCall(turn, call, () => "done"));
	}, options);
	const end = await scene.conversation.send("Do it", from);
	return { scene, verdicts, end };
}
