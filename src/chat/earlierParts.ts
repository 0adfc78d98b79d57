// The part of a conversation before what the page was given at once: follows by itself where it is at hand, on demand where it is not.
import type { TranscriptEvent } from "../core/events.ts";
import { firstCompleteIndex } from "../core/transcript/window.ts";
import { hasEarlierEvents, isEventHidden } from "../session/eventLookup.ts";
import type { Session } from "../session/session.ts";
import { t } from "../shared/l10n.ts";
import type { DisplayEvent, Intent, Update } from "../shared/protocol/chat.ts";
import { findNewestPageStart, splitIntoPages, toDisplayEvent } from "./eventPages.ts";

type Of<T extends Intent["type"]> = Extract<Intent, { type: T }>;

/** Milliseconds between bunches of earlier events. */
const PACE = 20;
/** Characters of events that are fetched for one match: a page holds no more. */
const MOST = 24_000_000;

interface Around {
	on(session: string): Promise<Session>;
	/** Whether the page shows this session. */
	shows(session: string): boolean;
	post(update: Update): void;
	notify(text: string): void;
}

export function createEarlierEventsLoader({ on, shows, post, notify }: Around) {
	/** Sends the next bunch. */
	let following: NodeJS.Timeout | undefined;
	let finding = new AbortController();

	/** A bunch at a time: the page draws the end of the conversation meanwhile. */
	function send(session: string, before: number, [events, ...rest]: DisplayEvent[][], more: boolean): void {
		following = setTimeout(() => {
			if (!shows(session) || !events) return;
			const last = rest.length === 0;
			post({ type: "earlier", session, before, events, last, ...(last && more && { more }) });
			send(session, before, rest, more);
		}, PACE);
	}

	return {
		/** What a snapshot has; `follow` sends what is before it. */
		newest(conversation: Session) {
			const { state, sessionId } = conversation;
			const full = firstCompleteIndex(state);
			const from = Math.max(full, findNewestPageStart(state));
			const events = state.events.slice(from).map(toDisplayEvent);
			const more = hasEarlierEvents(state);
			clearTimeout(following);
			const earlier = state.events.slice(full, from);
			const first = state.events[from]?.seq ?? state.seq + 1;
			return {
				events,
				...(earlier.length > 0 && { earlier: true }),
				...(earlier.length === 0 && more && { more }),
				follow: () => {
					if (earlier.length > 0) send(sessionId, first, [...splitIntoPages(earlier, earlier.length)], more);
				},
			};
		},
		acts: {
			async earlier({ session, before, to = before - 1 }: Of<"earlier">) {
				const { services } = await on(session);
				let events: TranscriptEvent[] = [];
				let more = true;
				let size = 0;
				for (let first = before; more && first > to; first = events[0]?.seq ?? 0) {
					const page = await services.store.page(session, first);
					more = page.length > 0;
					events = [...page, ...events];
					size += page.reduce((sum, event) => sum + sizeOf(event), 0);
					if (size > MOST) {
						notify(t("The match is too far back to be shown here. Export the session to read it, or scroll up to it."));
						break;
					}
				}
				more &&= (await services.store.page(session, events[0]?.seq ?? 0)).length > 0;
				if (!shows(session)) return;
				const all = [...splitIntoPages(events, events.length)];
				for (const [at, bunch] of (all.length > 0 ? all : [[]]).entries()) {
					const last = at >= all.length - 1;
					post({ type: "earlier", session, before, events: bunch, last, ...(last && more && { more }) });
				}
			},
			async findEarlier({ session, words, before }: Of<"findEarlier">) {
				finding.abort();
				finding = new AbortController();
				const { signal } = finding;
				const { services, state } = await on(session);
				const wanted = words.toLowerCase();
				let [count, seq] = [0, 0];
				for await (const event of services.store.stream(session)) {
					if (signal.aborted) return;
					if (event.seq >= before) break;
					if (isEventHidden(state, event) || !textsOf(event).some((text) => text.toLowerCase().includes(wanted))) continue;
					count += 1;
					seq = event.seq;
				}
				post({ type: "foundEarlier", session, words, before, count, ...(count > 0 && { seq }) });
			},
		},
		dispose() {
			clearTimeout(following);
			finding.abort();
		},
	};
}

function sizeOf(event: TranscriptEvent): number {
	return JSON.stringify(toDisplayEvent(event)).length;
}

/** What a person reads of it, folded or not. */
function textsOf(event: TranscriptEvent): string[] {
	switch (event.type) {
		case "user":
			return [event.text];
		case "assistant":
			return [event.text, event.thinking ?? "", ...(event.calls ?? []).map(({ input }) => JSON.stringify(input) ?? "")];
		case "result":
			return [event.output];
		case "plan":
			return [event.plan.goal, ...event.plan.steps.map(({ action }) => action)];
		case "question":
			return [event.question.question];
		default:
			return [];
	}
}
