// Test fixture: the built-in main agent with a scripted model, and background tasks that answer from a script.
import type { EventOf, TranscriptEvent } from "../../../../src/core/events.ts";
import { MAIN_AGENT } from "../../../../src/core/role.ts";
import type { Session } from "../../../../src/session/session.ts";
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from "../../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "../../../fakes/testApp.ts";

export interface TestMain {
	app: TestApp;
	model: ScriptedModel;
	session: Session;
	/** What the person was told, in order. */
	replies(): string[];
	/** Resolves once an event of that type of the main agent's session fits that was or is emitted. */
	event<T extends TranscriptEvent["type"]>(type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
}

const open: TestApp[] = [];

export async function closeMain(): Promise<void> {
	for (const app of open.splice(0)) await app.close();
}

/** An answer, or what is asked for it once its turn comes. */
export type MainScript = readonly (ScriptedAnswer | (() => ScriptedAnswer))[];

/** `main`: its answers in order. `task`: those of every task and of requests for a summary, the last one repeated. */
export async function openTestMain(
	{ main, task = [] }: { main: MainScript; task?: readonly ScriptedAnswer[] },
	options: Omit<TestAppOptions, "model"> = {},
): Promise<TestMain> {
	let [asked, worked] = [0, 0];
	const model = scriptedModel((request) => {
		const isMain = request.tools.some(({ name }) => name === "reply");
		if (isMain) {
			const next = main[asked++] ?? { text: "Nothing to say." };
			return typeof next === "function" ? next() : next;
		}
		return task[Math.min(worked++, task.length - 1)] ?? { text: "Done." };
	});
	const app = await openTestApp({ ...options, model });
	open.push(app);
	const { sessions } = app;
	const { sessionId } = await sessions.latest(MAIN_AGENT);
	const session = await sessions.get(sessionId);
	return {
		app,
		model,
		session,
		replies: () => session.state.events.flatMap((event) => (event.type === "reply" ? [event.text] : [])),
		event(type, fits = () => true) {
			const matches = (candidate: TranscriptEvent) => candidate.type === type && fits(candidate as never);
			const past = session.state.events.find(matches);
			if (past) return Promise.resolve(past as never);
			return new Promise((resolve) => {
				const listening = sessions.listen({
					event(id, candidate) {
						if (id !== sessionId || !matches(candidate)) return;
						listening.dispose();
						resolve(candidate as never);
					},
				});
			});
		},
	};
}

export const saying = (text: string, thought = "", channelId = "main"): ScriptedAnswer => ({
	text: thought,
	calls: [{ name: "reply", input: { text, channelId, channelType: "vscode" } }],
});

export const spawning = (description: string, input: string): ScriptedAnswer => ({
	calls: [{ name: "spawn_subagent", input: { description, input } }],
});
