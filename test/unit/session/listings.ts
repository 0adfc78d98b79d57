// Test fixture: counts how often tools, agents and sessions are listed from a message until its turn has ended.
import type { ToolSource } from "../../../src/core/ports/tool.ts";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { outside, sourceOf } from "./outsideTool.ts";
import type { TestSession } from "./testSession.ts";

/** An agent that others may call. */
export const HELPER = { agentId: "helper", displayName: "Helper", prompt: "Help." } as AgentDefinition;

export interface Listings {
	/** Has one tool; hand it to the app. */
	source: ToolSource;
	/** Counts from now on until a turn has ended. What an open page asks for after that is not counted. */
	count(setup: Pick<TestSession, "app" | "session">): Record<"tools" | "agents" | "sessions", number>;
}

export function watchListings(): Listings {
	const counts = { tools: 0, agents: 0, sessions: 0 };
	let isCounting = false;
	const add = (what: keyof typeof counts): void => {
		if (isCounting) counts[what] += 1;
	};
	const tool = outside("1", []);
	return {
		source: sourceOf(() => {
			add("tools");
			return [tool];
		}),
		count({ app, session }) {
			const { store, services } = app;
			const { list } = store;
			const { authorize } = session.gate;
			store.list = (...kind) => {
				add("sessions");
				return list(...kind);
			};
			// Agents are listed by asking the gate about each.
			services.window.gate.authorize = (request) => {
				if (request.peer === HELPER.agentId) add("agents");
				return authorize(request);
			};
			app.sessions.listen({
				event(_, { type }) {
					if (type === "ended") isCounting = false;
				},
			});
			isCounting = true;
			return counts;
		},
	};
}
