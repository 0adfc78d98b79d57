// Connects sessions to the places where people talk to them: takes messages in, and delivers replies.
import type { Channel } from "../core/channel.ts";
import type { EventOf, TranscriptEvent } from "../core/events.ts";
import type { ChannelAdapter, ChannelInput, InboundMessage, OutboundMessage } from "../core/ports/channel.ts";
import { isChannel } from "../core/prompt.ts";
import { pendingRequests, type Transcript } from "../core/transcript/state.ts";
import { ExplainedError, UserError } from "../core/userError.ts";
import { channelsOfTurn } from "../session/agent/channelOf.ts";
import type { TurnEnd } from "../session/sessionContext.ts";
import type { Message, Sender } from "../session/state/message.ts";
import type { SessionsListener } from "../sessions/directory.ts";
import { t } from "../shared/l10n.ts";
import { Serial } from "../shared/node/serial.ts";
import { withTimeout } from "../shared/node/withTimeout.ts";
import { describeForLog, foreignReasonOf, modelReasonOf, reasonOf } from "../shared/reasonOf.ts";
import { sanitizeForPrompt } from "../shared/safeText.ts";

/** The part of a session that channels need. */
export interface ChannelSession {
	readonly sessionId: string;
	readonly state: Transcript;
	readonly isRunning: boolean;
	send(message: Message, from: Sender): Promise<TurnEnd>;
	cancel(): Promise<void>;
}

interface ChannelHost {
	/** The session that messages from channels go to. Rejects with a sentence. */
	speaking(): Promise<ChannelSession>;
	get(sessionId: string): Promise<ChannelSession>;
	listen(listener: SessionsListener): { dispose(): void };
	readonly services: { log(line: string): void };
}

interface ChannelType {
	/** Instructions for the model on how to write replies. */
	style: string;
	/** Returns why a reply can't be delivered; undefined if recording it is all that it takes. Absent if an adapter delivers it. */
	recorded?(channel: Channel, turn: Transcript["turn"]): string | undefined;
}

const TYPES: Readonly<Record<string, ChannelType>> = {
	vscode: { style: "The chat panel. Markdown, code blocks and links to files welcome.", recorded: () => undefined },
	cli: { style: "A terminal. Plain text that reads well in a narrow window; code blocks welcome, no tables or HTML." },
	api: { style: "Another program. Plain, complete, no small talk.", recorded: () => undefined },
	agent: {
		style: "Another agent that waits for your answer. One reply with all that it asked for.",
		recorded: ({ channelId }, turn) =>
			turn?.caller?.agent === channelId ? undefined : "that agent's call has ended, so nobody waits for the answer.",
	},
};

const LONGEST_MESSAGE = 100_000;

export class Channels {
	private readonly host: ChannelHost;
	private readonly deliveryTimeout: number;
	private readonly adapters = new Map<string, ChannelAdapter>();
	/** Channels whose messages a running turn answers, or will after it, by session. */
	private readonly active = new Map<string, Places>();
	/** Messages are sent in the order of their arrival. */
	private readonly sending = new Serial();

	/** `deliveryTimeout`: milliseconds that an adapter has to deliver a message. */
	constructor(host: ChannelHost, deliveryTimeout = 10_000) {
		this.host = host;
		this.deliveryTimeout = deliveryTimeout;
		host.listen({ event: (sessionId, event) => this.follow(sessionId, event) });
	}

	/** Adds and starts an adapter; disposing of it stops it. Throws if the type is delivered by Troupe itself or has an adapter. */
	registerAdapter(adapter: ChannelAdapter): { dispose(): void } {
		const { type } = adapter;
		if (TYPES[type]?.recorded || this.adapters.has(type)) throw new Error(`The channel type ${type} is taken.`);
		this.adapters.set(type, adapter);
		const input: ChannelInput = {
			send: (message) => void this.receive(adapter, message).catch((error: unknown) => this.failed(adapter, error)),
			stop: (channel) => void this.halt(adapter, channel).catch((error: unknown) => this.failed(adapter, error)),
		};
		adapter.start(input).catch((error: unknown) => this.failed(adapter, error));
		return { dispose: () => void this.remove(adapter) };
	}

	/** Returns instructions for the model on how to write replies, by type. */
	styleGuides(): { type: string; style: string }[] {
		const more = [...this.adapters.values()].flatMap(({ type, style }) => (style === undefined ? [] : [{ type, style }]));
		const own = Object.entries(TYPES).map(([type, { style }]) => ({ type, style }));
		return [...own.filter(({ type }) => !more.some((other) => other.type === type)), ...more];
	}

	/** Delivers a reply of a running turn. Resolves with why it was not delivered, for the model; undefined if it was. Never rejects. */
	async deliver(message: OutboundMessage, turn?: Transcript["turn"]): Promise<string | undefined> {
		const { channel } = message;
		const known = Object.hasOwn(TYPES, channel.type) ? TYPES[channel.type]?.recorded : undefined;
		if (known) return known(channel, turn);
		const adapter = this.adapters.get(channel.type);
		if (!adapter) {
			this.host.services.log(`a reply was not delivered: nothing delivers to channels of the type ${channel.type}`);
			return "nothing here delivers to that channel now.";
		}
		try {
			await withTimeout(adapter.deliver(message), this.deliveryTimeout, () => {
				throw new ExplainedError("It took too long.");
			});
			return undefined;
		} catch (error) {
			this.failed(adapter, error);
			return foreignReasonOf(error) ?? modelReasonOf(error, undefined);
		}
	}

	/** Stops all adapters. */
	async close(): Promise<void> {
		await Promise.all([...this.adapters.values()].map((adapter) => this.remove(adapter)));
	}

	private async remove(adapter: ChannelAdapter): Promise<void> {
		if (this.adapters.get(adapter.type) !== adapter) return;
		this.adapters.delete(adapter.type);
		await adapter.stop().catch((error: unknown) => this.failed(adapter, error));
	}

	private async receive({ type, sender }: ChannelAdapter, { text: written, channel: given }: InboundMessage): Promise<void> {
		const channel = { ...given, type };
		if (!isChannel(channel))
			return this.host.services.log(`a message of a channel of the type ${type} was refused: its channel is not valid`);
		if (!sender.allowed(given))
			return this.host.services.log(`a message of a channel of the type ${type} was ignored: its sender is not allowed`);
		const text = sanitizeForPrompt(written).trim();
		if (text === "") return;
		const from: Sender = { by: `channel:${type}`, ...(sender.ceiling && { ceiling: sender.ceiling }) };
		try {
			if (text.length > LONGEST_MESSAGE)
				throw new UserError(
					t("This message has {0} characters; {1} is the most. It was not sent. Put it in a file.", text.length, LONGEST_MESSAGE),
				);
			// The end isn't awaited in there: the turn may take long.
			const sent = await this.sending.run(async () => ({ end: (await this.host.speaking()).send({ text, channel }, from) }));
			const { withdrawn } = await sent.end;
			if (withdrawn) await this.tell(channel, t("The agent didn't read this message. Send it again if you still want it: {0}", text));
		} catch (error) {
			await this.tell(channel, reasonOf(error, this.host.services.log));
		}
	}

	private async halt({ type, sender }: ChannelAdapter, given: InboundMessage["channel"]): Promise<void> {
		if (!sender.allowed(given)) return;
		await this.sending.whenSettled();
		const session = await this.host.speaking();
		if (!session.isRunning) return;
		await session.cancel();
		await this.tell({ ...given, type }, t("Stopped."));
	}

	/** People elsewhere see no cards: they are told where the agent waits for them, and why it stopped. */
	private follow(sessionId: string, event: TranscriptEvent): void {
		if (this.adapters.size === 0) return;
		if (ACTIVITY_EVENTS.has(event.type))
			this.reportActivity(sessionId).catch((error: unknown) => this.host.services.log(`channels were not told: ${String(error)}`));
		const notice = notices[event.type as keyof typeof notices];
		const text = notice && (notice as (event: TranscriptEvent) => string | undefined)(event);
		if (!text) return;
		const tellAll = async (): Promise<void> => {
			const { state } = await this.host.get(sessionId);
			for (const channel of this.placesOf(channelsOfTurn(state, event.turn)).values()) await this.tell(channel, text);
		};
		tellAll().catch((error: unknown) => this.host.services.log(`channels were not told: ${String(error)}`));
	}

	private async reportActivity(sessionId: string): Promise<void> {
		const { state } = await this.host.get(sessionId);
		const before = this.active.get(sessionId) ?? new Map<string, Channel>();
		const waiting = [...state.queue.values()].flatMap(({ channel }) => (channel ? [channel] : []));
		const now: Places = state.turn ? this.placesOf([...channelsOfTurn(state, state.turn.id), ...waiting]) : new Map();
		const activity = pendingRequests(state).some(({ kind }) => kind === "approval") ? "waiting" : "working";
		for (const [place, channel] of before) if (!now.has(place)) this.adapters.get(channel.type)?.setActivity?.(channel, undefined);
		for (const channel of now.values()) this.adapters.get(channel.type)?.setActivity?.(channel, activity);
		if (now.size > 0) this.active.set(sessionId, now);
		else this.active.delete(sessionId);
	}

	/** Returns the channels that adapters serve; threads of the same channel count as one. */
	private placesOf(channels: readonly Channel[]): Places {
		const served = channels.filter(({ type }) => this.adapters.has(type));
		return new Map(served.map((channel) => [JSON.stringify([channel.type, channel.channelId]), channel]));
	}

	private async tell(channel: Channel, text: string): Promise<void> {
		await this.deliver({ text, channel, notice: true });
	}

	private failed({ type }: ChannelAdapter, error: unknown): void {
		this.host.services.log(`a channel of the type ${type} failed: ${describeForLog(error)}`);
	}
}

/** Channels by type and id. */
type Places = ReadonlyMap<string, Channel>;

const ACTIVITY_EVENTS: ReadonlySet<TranscriptEvent["type"]> = new Set([
	"started",
	"user",
	"queued",
	"unqueued",
	"asked",
	"answered",
	"expired",
	"ended",
]);

const notices = {
	asked: ({ summary }: EventOf<"asked">) => t("The agent needs your approval in the chat: {0}", summary),
	question: ({ question }: EventOf<"question">) => t("The agent asks you in the chat: {0}", question.question),
	plan: ({ plan }: EventOf<"plan">) => t("The agent shows you a plan in the chat: {0}", plan.goal),
	ended: ({ outcome, error }: EventOf<"ended">) =>
		outcome === "failed" ? (error ?? t("The turn failed.")) : outcome === "limit" ? t("The turn reached its limit.") : undefined,
};
