// Tests the gate requests of a turn, and calls that are denied without being examined.
import assert from "node:assert/strict";
import type { GateRequest } from "../../../src/core/ports/gate.ts";
import { closeTestSessions, EDIT, FILES, openTestSession } from "./testSession.ts";

const run = (command: string) => ({ calls: [{ name: "execute_command", input: { command } }] });

/** The same arguments, written down. */
function noted<Given extends unknown[]>(notes: unknown[], given: Given): Given {
	notes.push(...given);
	return given;
}

describe("the gate of a turn", () => {
	afterEach(closeTestSessions);

	it("neither looks at nor parses the call of a tool that the role or the agent's lists keep out", async () => {
		const long = `echo ${"$((".repeat(1_000)}`;
		const calls = { calls: [run(long).calls[0] as never, EDIT] };
		for (const reader of [undefined, { agentId: "reader", displayName: "Reader", toolAllowlist: ["read_*"] }]) {
			const setup = await openTestSession([calls, { text: "Well." }], {
				files: FILES,
				role: reader ? "actor" : "planner",
				agents: reader ? [reader] : [],
			});
			if (reader) await setup.session.setAgent("reader");
			const { gate } = setup.app.services.window;
			const looked: unknown[] = [];
			setup.app.services.window.gate = {
				...gate,
				command: (...what) => gate.command(...noted(looked, what)),
				path: (...what) => gate.path(...noted(looked, what)),
			};
			await setup.session.send("Go");
			assert.deepEqual(looked, []);
			const views = [...setup.session.state.calls.values()].map(({ result }) => result?.view);
			const denied = (permission: string) =>
				reader ? { kind: "denied", layer: "scope" } : { kind: "denied", layer: "role", lacks: [permission], offerRole: "actor" };
			assert.deepEqual(views, [denied("ExecuteCommands"), denied("WriteFiles")]);
		}
	});

	it("tells the gate what a session has met, what reads unasked, and whether a sandbox works", async () => {
		const setup = await openTestSession([run("ls"), { text: "Done." }], {
			files: FILES,
			role: "actor",
			settings: { readingCommands: "ask", sandbox: "required" },
		});
		const { services } = setup.app;
		services.sandbox = { works: async () => true, why: () => "It works." };
		const { gate } = services.window;
		const requests: GateRequest[] = [];
		services.window.gate = {
			...gate,
			authorize: (request) => ({ ...gate.authorize(...noted<[GateRequest]>(requests, [request])), decision: "deny" }),
		};
		setup.session.decisions.approved.meet(["https://example.org"]);
		await setup.session.send("Go");
		const [{ destinations: met, readingCommands, sandbox } = {} as GateRequest] = requests;
		assert.deepEqual(
			{ met, readingCommands, sandbox },
			{ met: ["https://example.org"], readingCommands: "ask", sandbox: { mode: "required", works: true } },
		);
	});
});
