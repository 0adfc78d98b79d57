// Test fixture: a session of an agent that runs elsewhere, with its own model and tools.
import type { ForeignCall, ForeignVerdict } from "../../../src/core/ports/runtime.ts";
import { foreignRuntime, makeForeignCall } from "../../fakes/foreignRuntime.ts";
import { FILES, openTestSession, type TestSession } from "./testSession.ts";

export const WRITER = { agentId: "elsewhere", displayName: "Elsewhere" };

/** A session of an agent that runs elsewhere; asking one of our models fails the test. */
export async function open(act: Parameters<typeof foreignRuntime>[0], options: Parameters<typeof openTestSession>[1] = {}) {
	const runtime = foreignRuntime(act);
	const script = () => {
		throw new Error("A model of ours was asked.");
	};
	const setup = await openTestSession(script, {
		files: FILES,
		agents: [WRITER],
		...options,
		runtime: ({ agentId }) => (agentId === WRITER.agentId ? runtime : undefined),
	});
	setup.app.services.model = async () => Promise.reject(new Error("A model of ours was chosen."));
	await setup.session.setAgent(WRITER.agentId);
	return { ...setup, runtime };
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
	options: Parameters<typeof openTestSession>[1] = {},
	from?: Parameters<TestSession["session"]["send"]>[1],
) {
	const verdicts: ForeignVerdict[] = [];
	const setup = await open(async (turn) => {
		for (const call of calls) verdicts.push(await makeForeignCall(turn, call, () => "done"));
	}, options);
	const end = await setup.session.send("Do it", from);
	return { setup, verdicts, end };
}
