// Marks the page as settled while the host has acknowledged every intent and the last update is painted.

// `data-settled` on the root element says so; `data-unacknowledged` lists the types of intents that aren't acknowledged. Neither says
// anything about a model that still answers, or about a timer.
import { options } from "preact";
import type { Acknowledgment, NumberedIntent } from "../src/shared/protocol/numbered.ts";
import { onNextFrame } from "./nextFrame.ts";

/** Types of unacknowledged intents by number. */
const pending = new Map<number, string>();
/** Acknowledgments for an earlier load of the page may still arrive, so numbers differ from its numbers. */
let lastNumber = Date.now();
/** Incremented whenever there is something new to paint. */
let changes = 0;
let isWaiting = false;
let areEffectsPending = false;

/** Numbers an intent that is about to be posted. */
export function numberIntent<Intent extends { type: string }>(intent: Intent): NumberedIntent<Intent> {
	lastNumber += 1;
	pending.set(lastNumber, intent.type);
	showPending();
	settleAfterPaint();
	return { number: lastNumber, intent };
}

/** Call for each message of the host; returns true for an acknowledgment, which is no update. */
export function noteMessage(message: unknown): message is Acknowledgment {
	const { type, number } = (message ?? {}) as Partial<Acknowledgment>;
	const isAcknowledgment = type === "acknowledged" && number !== undefined;
	if (isAcknowledgment) {
		pending.delete(number);
		showPending();
	}
	settleAfterPaint();
	return isAcknowledgment;
}

function showPending(): void {
	const { dataset } = document.documentElement;
	if (pending.size > 0) dataset["unacknowledged"] = [...pending.values()].join(" ");
	else delete dataset["unacknowledged"];
}

function settleAfterPaint(): void {
	changes += 1;
	delete document.documentElement.dataset["settled"];
	if (!isWaiting) checkAfterPaint();
}

/** One frame at a time, however many messages come meanwhile. */
function checkAfterPaint(): void {
	const seen = changes;
	isWaiting = true;
	afterNextFrame(() => {
		isWaiting = seen !== changes || areEffectsPending;
		if (isWaiting) checkAfterPaint();
		else if (pending.size === 0) document.documentElement.dataset["settled"] = "";
	});
}

// Effects run after the frame that they follow, and may draw again.
options.requestAnimationFrame = (runEffects) => {
	areEffectsPending = true;
	afterNextFrame(() => {
		areEffectsPending = false;
		runEffects();
	});
};

function afterNextFrame(act: () => void): void {
	onNextFrame(() => setTimeout(act));
}
