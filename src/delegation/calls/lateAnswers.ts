// Brings late answers to the calling sessions, as messages, once.

import type { AnsweredCall } from "../../core/caller.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { formatLateAnswer, outcomeOf, statusOf } from "./callResult.ts";
import type { OpenCall } from "./openCalls.ts";

type EndedCall = Pick<OpenCall, "caller" | "target" | "followed">;

export class LateAnswers {
	private readonly sessions: SessionDirectory;
	private closing = false;

	constructor(sessions: SessionDirectory) {
		this.sessions = sessions;
	}

	/** After the window has closed, the next one brings them. */
	close(): void {
		this.closing = true;
	}

	/**
	 * Queues the answer in the calling session, with the limits of the turn that made the call. Never rejects: what a full inbox or the
	 * disk refuses is brought again, after `pause` milliseconds and then less often, until the window closes.
	 */
	async bring(call: EndedCall, pause = FIRST_RETRY): Promise<void> {
		if (this.closing) return;
		try {
			await this.deliver(call);
		} catch (error) {
			this.sessions.services.log(`an answer did not reach the session ${call.caller.session} yet: ${String(error)}`);
			setTimeout(() => void this.bring(call, Math.min(pause * 2, LAST_RETRY)), pause).unref();
		}
	}

	private async deliver({ caller, target, followed }: EndedCall): Promise<void> {
		const known = await this.sessions.services.store.find(caller.session);
		const recorded = known && (await this.sessions.get(caller.session)).state.delegations.get(caller.call);
		// The calling session was deleted, cleared or rewound, or has an answer already.
		if (!recorded || recorded.ended !== undefined) return;
		const { ceiling = [], caller: above, budget } = recorded.event;
		const { text, intro } = formatLateAnswer(target, followed);
		const status = statusOf(followed);
		const about: AnsweredCall = {
			kind: "answer",
			call: caller.call,
			turn: caller.turn,
			agent: target.agentId,
			session: target.sessionId,
			status,
			...(status === "error" && { outcome: outcomeOf(followed) }),
			usage: { ...followed.usage },
			...(budget && { budget }),
			intro,
		};
		await this.sessions.deliverMessage(
			caller.session,
			// The id is the same in every window, so that an answer is delivered once.
			{ id: `answer-${target.responseId}`, text },
			{ by: `agent:${target.agentId}`, session: target.sessionId, about, ceiling, ...(above && { caller: above }) },
		);
	}
}

/** Milliseconds. */
const FIRST_RETRY = 1_000;
const LAST_RETRY = 30_000;
