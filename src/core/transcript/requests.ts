// How requests to the person change under events: answered, dismissed, superseded, expired. Part of the one fold.

import type { Answer, EventOf } from "../events.ts";
import type { RequestState, Transcript } from "./state.ts";

/** Words of the person answer the question they name; any other that waits is superseded by them. */
export function answerQuestions(state: Transcript, event: EventOf<"user">): void {
	for (const request of pendingQuestions(state)) {
		settle(request, request.event.request === event.answers ? "answered" : "superseded", { value: event.text });
	}
}

export function answerRequest(state: Transcript, event: EventOf<"answered">): void {
	const request = state.requests.get(event.request);
	if (request?.state !== "pending") return;
	const dismissed = request.kind === "question" && "allow" in event.answer;
	settle(request, dismissed ? "dismissed" : "answered", event.answer);
}

export function expireRequest(state: Transcript, event: EventOf<"expired">): void {
	const request = state.requests.get(event.request);
	if (request?.state === "pending") settle(request, request.kind === "question" ? "superseded" : "expired");
}

export function supersedeQuestions(state: Transcript): void {
	for (const request of pendingQuestions(state)) settle(request, "superseded");
}

function pendingQuestions({ requests }: Transcript): RequestState[] {
	return [...requests.values()].filter(({ kind, state }) => kind === "question" && state === "pending");
}

function settle(request: RequestState, state: RequestState["state"], answer?: Answer): void {
	request.state = state;
	if (answer && state !== "superseded") request.answer = answer;
}
