// Renders visible items and spacers for the rest, and follows new items until the user scrolls.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import type { ItemHeights } from "../../conversation/itemHeights.ts";
import { type Item, isToolCallRunning, toolCallStatus } from "../../conversation/items.ts";
import { requestEarlier } from "../../conversation/requestEarlier.ts";
import { revealedMatch } from "../../find/find.ts";
import { sentMessageCount } from "../../host.ts";
import {
	chatStatus,
	hasEarlierEvents,
	isPartial,
	isTurnRunning,
	items,
	liveAnswer,
	loadingEarlier,
	readProgress,
	runningOutputs,
	sessionId,
	stalledSeconds,
	transcript,
} from "../../state.ts";
import { RunningPlanBar } from "../cards/RunningPlanBar.tsx";
import { Icon, Spinner } from "../Icon.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { FindWidget } from "./FindWidget.tsx";
import { scrollable } from "./Group.tsx";
import { ItemRow } from "./ItemRow.tsx";
import { type ItemWindow, useItemWindow } from "./useItemWindow.ts";

export function Transcript() {
	const scroller = useRef<HTMLDivElement>(null);
	const content = useRef<HTMLDivElement>(null);
	const all = items.value;
	const shown = useItemWindow(sessionId.value, all, !isPartial.value, scroller, content);
	useLayoutEffect(() => setMessagePositions(content.current, shown.heights));
	const count = sentMessageCount.value;
	useLayoutEffect(() => {
		if (count > 0) shown.scrollToEnd();
	}, [count]);
	useLayoutEffect(() => {
		if (revealedMatch.value) shown.reveal(revealedMatch.value.item.key);
	}, [revealedMatch.value]);

	return (
		<div class="conversation">
			<FindWidget />
			<ReadProgress />
			<RunningPlanBar />
			<div ref={scroller} class="scroller" role="log" aria-label={t("Conversation")} aria-live="off" {...scrollable}>
				<div key={sessionId.value} ref={content} class="content">
					<LoadEarlier />
					{all.length === 0 && chatStatus.value && <EmptyState />}
					<Rows of={all} shown={shown} />
					<Working />
				</div>
			</div>
			{!shown.followsEnd && (
				<button type="button" class="secondary jump" onClick={shown.scrollToEnd}>
					<Icon name="arrow-down" /> {t("Jump to Latest")}
				</button>
			)}
		</div>
	);
}

function Rows({ of: all, shown: { spans, heights } }: { of: readonly Item[]; shown: ItemWindow }) {
	const parts = [];
	let at = 0;
	for (const span of [...spans, { from: all.length, to: all.length }]) {
		if (span.from > at)
			parts.push(<Blank key={`blank:${parts.length === 0 ? "above" : at}`} height={heights.height({ from: at, to: span.from })} />);
		for (const item of all.slice(span.from, span.to)) parts.push(<ItemRow key={item.key} item={item} />);
		at = span.to;
	}
	return <>{parts}</>;
}

/** Spacer with the measured or estimated height of items out of view. */
function Blank({ height }: { height: number }) {
	return <div class="blank" style={{ height: `${height}px` }} />;
}

/** Sets each message's position and the total for assistive technology, since not all are rendered. */
function setMessagePositions(content: HTMLElement | null, heights: ItemHeights): void {
	for (const article of content?.querySelectorAll<HTMLElement>(":scope > .row > article") ?? []) {
		const [place, count] = heights.messagePosition(article.parentElement?.dataset["key"] ?? "") ?? [];
		if (place === undefined) continue;
		setAttribute(article, "aria-posinset", String(place));
		setAttribute(article, "aria-setsize", String(count));
	}
}

/** Skips unchanged values: each set attribute invalidates styles. */
function setAttribute(element: HTMLElement, attribute: string, value: string): void {
	if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}

/** Line that is shown while a turn runs without visible progress, or when the model has been silent for long. */
function Working() {
	const silence = stalledSeconds.value;
	const last = items.value.at(-1);
	const state = transcript.value.folded;
	const runs =
		last?.kind === "calls" &&
		last.calls.some((entry) => !entry.result && isToolCallRunning(entry, toolCallStatus(entry, state), runningOutputs.value));
	const isWaiting = last?.kind === "agentCall" ? !last.entry.result : last?.kind === "approval" && last.request.state === "pending";
	if (!isTurnRunning.value || isWaiting) return null;
	if (silence === 0 && (!last || runs || liveAnswer.value.openBlock || liveAnswer.value.closedBlocks.length)) return null;
	return (
		<div class="working">
			<Spinner /> {silence > 0 ? t("No response from the model for {0} seconds.", silence) : t("Working…")}
		</div>
	);
}

function LoadEarlier() {
	const button = useRef<HTMLButtonElement>(null);
	const isWaiting = loadingEarlier.value;
	useEffect(() => {
		const element = button.current;
		if (!element || isWaiting) return undefined;
		const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && requestEarlier());
		observer.observe(element);
		return () => observer.disconnect();
	}, [isWaiting, hasEarlierEvents.value]);
	if (!hasEarlierEvents.value) return null;
	return (
		<div class="earlier">
			<button ref={button} type="button" class="link" aria-disabled={isWaiting} onClick={() => requestEarlier()}>
				{isWaiting && <Spinner />} {isWaiting ? t("Loading earlier messages…") : t("Show Earlier Messages")}
			</button>
		</div>
	);
}

/** Progress of reading a long session. */
function ReadProgress() {
	const part = readProgress.value;
	return (
		<div class="reading" role="status" hidden={part === undefined}>
			{part !== undefined && (
				<>
					<Spinner /> {t("Loading session: {0}%", Math.floor(part * 100))}
				</>
			)}
		</div>
	);
}
