// The conversation: what is in sight and around it, blanks for the rest; it follows what is new until the person scrolls up.

import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import type { Heights } from "../../conversation/heights.ts";
import { type Item, isRunning, statusOf } from "../../conversation/items.ts";
import { sought } from "../../find/find.ts";
import { sent } from "../../host.ts";
import { incomplete, items, live, progress, running, sessionId, stalled, surroundings, transcript } from "../../state.ts";
import { RunBar } from "../cards/RunBar.tsx";
import { Icon, Spinner } from "../Icon.tsx";
import { Earlier, Reading } from "./Earlier.tsx";
import { Empty } from "./Empty.tsx";
import { Find } from "./Find.tsx";
import { scrollable } from "./Group.tsx";
import { Row } from "./Row.tsx";
import { useWindow, type Window } from "./useWindow.ts";

export function Transcript() {
	const scroller = useRef<HTMLDivElement>(null);
	const content = useRef<HTMLDivElement>(null);
	const all = items.value;
	const shown = useWindow(sessionId.value, all, !incomplete.value, scroller, content);
	useLayoutEffect(() => number(content.current, shown.heights));
	const count = sent.value;
	useLayoutEffect(() => {
		if (count > 0) shown.toEnd();
	}, [count]);
	useLayoutEffect(() => {
		if (sought.value) shown.reveal(sought.value.item.key);
	}, [sought.value]);

	return (
		<div class="conversation">
			<Find />
			<Reading />
			<RunBar />
			<div ref={scroller} class="scroller" role="log" aria-label={t("Conversation")} aria-live="off" {...scrollable}>
				<div key={sessionId.value} ref={content} class="content">
					<Earlier />
					{all.length === 0 && surroundings.value && <Empty />}
					<Rows of={all} shown={shown} />
					<Working />
				</div>
			</div>
			{!shown.stuck && (
				<button type="button" class="secondary jump" onClick={shown.toEnd}>
					<Icon name="arrow-down" /> {t("Jump to latest")}
				</button>
			)}
		</div>
	);
}

function Rows({ of: all, shown: { spans, heights } }: { of: readonly Item[]; shown: Window }) {
	const parts = [];
	let at = 0;
	for (const span of [...spans, { from: all.length, to: all.length }]) {
		if (span.from > at)
			parts.push(<Blank key={`blank:${parts.length === 0 ? "above" : at}`} height={heights.height({ from: at, to: span.from })} />);
		for (const item of all.slice(span.from, span.to)) parts.push(<Row key={item.key} item={item} />);
		at = span.to;
	}
	return <>{parts}</>;
}

/** Stands in for items that are out of sight, as high as they are or are guessed to be. */
function Blank({ height }: { height: number }) {
	return <div class="blank" style={{ height: `${height}px` }} />;
}

/** Tells assistive technology which message of how many each is: not all of them are on the page. */
function number(content: HTMLElement | null, heights: Heights): void {
	for (const article of content?.querySelectorAll<HTMLElement>(":scope > .row > article") ?? []) {
		const [place, count] = heights.numberOf(article.parentElement?.dataset["key"] ?? "") ?? [];
		if (place === undefined) continue;
		put(article, "aria-posinset", String(place));
		put(article, "aria-setsize", String(count));
	}
}

/** What is as it was is not set again: each attribute that is set costs the page its styles. */
function put(element: HTMLElement, attribute: string, value: string): void {
	if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}

/** Between two signs of life of a running turn, and where the model keeps silent for long. */
function Working() {
	const silence = stalled.value;
	const last = items.value.at(-1);
	const state = transcript.value.folded;
	const runs =
		last?.kind === "calls" && last.calls.some((entry) => !entry.result && isRunning(entry, statusOf(entry, state), progress.value));
	const waits = last?.kind === "approval" && last.request.state === "pending";
	if (!running.value || waits) return null;
	if (silence === 0 && (!last || runs || live.value.open || live.value.closed.length)) return null;
	return (
		<div class="working">
			<Spinner /> {silence > 0 ? t("The model has sent nothing for {0} seconds.", silence) : t("Working…")}
		</div>
	);
}
