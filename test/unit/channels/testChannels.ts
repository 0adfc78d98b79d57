// Test fixture: an agent that speaks in replies, and a channel that collects what is delivered to it.
import { defaultAgent } from "../../../src/agents/builtinRoles.ts";
import type { Channel } from "../../../src/core/channel.ts";
import type { EventOf, TranscriptEvent } from "../../../src/core/events.ts";
import type { ChannelAdapter, ChannelInput, OutboundMessage } from "../../../src/core/ports/channel.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { AgentDefinition } from "../../../src/core/role.ts";
import type { Session } from "../../../src/session/session.ts";
import { fixedRegistry } from "../../fakes/fixedRegistry.ts";
import { type Script, type ScriptedAnswer, type ScriptedModel, scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "../../fakes/testApp.ts";
import { untilIdle } from "../../fakes/untilIdle.ts";

export const voice: AgentDefinition = {
	agentId: "voice",
	displayName: "Voice",
	systemPrompt: "You are the agent <voice>.",
	output: "reply",
	optIn: ["tasks"],
};

export interface TestChannels {
	app: TestApp;
	model: ScriptedModel;
	session: Session;
	/** Resolves with the next event of that type in the session that fits. */
	next<T extends TranscriptEvent["type"]>(type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
	/** Resolves once no turn runs and no message waits. */
	idle(): Promise<void>;
	/** All events of that type. */
	all<T extends TranscriptEvent["type"]>(type: T): EventOf<T>[];
}

const open: TestApp[] = [];

export async function closeTestChannels(): Promise<void> {
	for (const app of open.splice(0)) await app.close();
}

export async function openTestChannels(script: Script, options: Omit<TestAppOptions, "model"> = {}): Promise<TestChannels> {
	const model = scriptedModel(script);
	const app = await openTestApp({ registry: fixedRegistry(() => [defaultAgent, ...(options.agents ?? [voice])]), ...options, model });
	open.push(app);
	const { sessions } = app;
	const { sessionId } = await sessions.latest("voice");
	const session = await sessions.get(sessionId);
	return {
		app,
		model,
		session,
		next: (type, fits = () => true) =>
			new Promise((resolve) => {
				const listening = sessions.listen({
					event(id, event) {
						if (id !== sessionId || event.type !== type || !fits(event as never)) return;
						listening.dispose();
						resolve(event as never);
					},
				});
			}),
		idle: () => untilIdle(sessions, session),
		all: (type) => session.state.events.filter((event) => event.type === type) as never,
	};
}

/** An answer that replies. */
export const replying = (text: string, to: Partial<Pick<Channel, "channelId" | "replyTo">> & { channelType?: string }): ScriptedAnswer => ({
	text: "I think.",
	calls: [{ name: "reply", input: { text, channelId: "main", ...to } }],
});

export interface CollectingAdapter extends ChannelAdapter {
	delivered: OutboundMessage[];
	isStopped: boolean;
	/** The calls of `setActivity`, such as "main working". */
	activities: string[];
	send: ChannelInput["send"];
	/** Stops the agent's turn. */
	halt: ChannelInput["stop"];
	/** Resolves once something was delivered that fits. */
	told(fits: (message: OutboundMessage) => boolean): Promise<OutboundMessage>;
	/** Resolves once this is the newest activity. */
	active(activity: string): Promise<void>;
}

/** `deliver`: awaited with each message before it counts as delivered. */
export function collectingAdapter(
	type: string,
	deliver: (message: OutboundMessage) => Promise<void> = async () => undefined,
): CollectingAdapter {
	let input: ChannelInput | undefined;
	const waiting = new Set<() => void>();
	const adapter: CollectingAdapter = {
		type,
		sender: { allowed: () => true },
		delivered: [],
		isStopped: false,
		activities: [],
		async start(agent) {
			input = agent;
		},
		async deliver(message) {
			await deliver(message);
			adapter.delivered.push(message);
			for (const look of [...waiting]) look();
		},
		setActivity({ channelId }, activity) {
			const now = `${channelId} ${activity ?? "idle"}`;
			if (adapter.activities.at(-1) !== now) adapter.activities.push(now);
			for (const look of [...waiting]) look();
		},
		async stop() {
			adapter.isStopped = true;
		},
		send: (message) => input?.send(message),
		halt: (channel) => input?.stop(channel),
		told: (fits) => once(() => adapter.delivered.find(fits)),
		active: async (activity) => void (await once(() => adapter.activities.at(-1) === activity || undefined)),
	};
	function once<Found>(find: () => Found | undefined): Promise<Found> {
		return new Promise((resolve) => {
			const look = (): void => {
				const found = find();
				if (found === undefined) return;
				waiting.delete(look);
				resolve(found);
			};
			waiting.add(look);
			look();
		});
	}
	return adapter;
}

/** What a request answers: the newest message or result. */
export function heardLast({ events }: Pick<ModelRequest, "events">): EventOf<"user"> | undefined {
	const last = events.findLast(({ type }) => type === "user" || type === "result");
	return last?.type === "user" ? last : undefined;
}
