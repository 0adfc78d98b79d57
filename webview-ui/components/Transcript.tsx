// The conversation: the newest items at once, earlier ones when there is time; it follows what is new until the person
// scrolls up.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../src/l10n.ts";
import { keepScroll, scrolledTo } from "../kept.ts";
import { items, live, running, sessionId, stalled, surroundings } from "../state.ts";
import { Empty } from "./Empty.tsx";
import { scrollable } from "./Group.tsx";
import { Icon, Spinner } from "./Icon.tsx";
import { Row } from "./Row.tsx";
import { RunBar } from "./RunBar.tsx";

/** Items drawn at once, about a screen of them; and how long, in ms, adding earlier ones may hold up the page. */
const FIRST = 12;
const HOLD_UP = 25;
/** Pixels from the end that still count as the end. */
const NEAR = 24;

export function Transcript() {
	const scroller = useRef<HTMLDivElement>(null);
	const content = useRef<HTMLDivElement>(null);
	const [shown, setShown] = useState(FIRST);
	const { stuck, toEnd } = useStickToEnd(scroller, content);
	const all = items.value;
	const hidden = Math.max(0, all.length - shown);

	const pace = useRef({ items: 4, began: 0 });
	useLayoutEffect(() => {
		const { items: added, began } = pace.current;
		if (began === 0) return;
		const factor = Math.min(2, HOLD_UP / Math.max(1, performance.now() - began));
		pace.current = { items: Math.min(60, Math.max(4, Math.round(added * factor))), began: 0 };
	}, [shown]);
	useEffect(() => {
		if (hidden === 0) return undefined;
		const add = () => {
			pace.current.began = performance.now();
			setShown((count) => count + pace.current.items);
		};
		const idle = requestIdleCallback(add, { timeout: 500 });
		return () => cancelIdleCallback(idle);
	}, [hidden]);

	useLayoutEffect(() => setShown(FIRST), [sessionId.value]);

	return (
		<div class="conversation">
			<RunBar />
			<div ref={scroller} class="scroller" role="log" aria-label="Conversation" aria-live="off" {...scrollable}>
				<div key={sessionId.value} ref={content} class="content">
					{all.length === 0 && surroundings.value && <Empty />}
					{all.slice(hidden).map((item) => (
						<Row key={item.key} item={item} />
					))}
					<Working />
				</div>
			</div>
			{!stuck && (
				<button type="button" class="secondary jump" onClick={toEnd}>
					<Icon name="arrow-down" /> Jump to latest
				</button>
			)}
		</div>
	);
}

/** Between two signs of life of a running turn, and where the model keeps silent for long. */
function Working() {
	const silence = stalled.value;
	const last = items.value.at(-1);
	const state = last?.kind === "calls" ? last.calls.at(-1)?.result : last;
	const waits = last?.kind === "approval" && last.request.state === "pending";
	if (!running.value || waits) return null;
	if (silence === 0 && (!state || live.value.open || live.value.closed.length)) return null;
	return (
		<div class="working">
			<Spinner /> {silence > 0 ? t("The model has sent nothing for {0} seconds.", silence) : t("Working…")}
		</div>
	);
}

type Ref<T> = { current: T | null };

function useStickToEnd(scroller: Ref<HTMLDivElement>, content: Ref<HTMLDivElement>) {
	const [stuck, setStuck] = useState(true);
	const sticks = useRef(true);
	const session = sessionId.value;

	useLayoutEffect(() => {
		const box = scroller.current;
		const inner = content.current;
		if (!box || !inner) return undefined;
		const fromEnd = () => box.scrollHeight - box.clientHeight - box.scrollTop;
		const set = (sticking: boolean) => {
			sticks.current = sticking;
			setStuck(sticking);
		};
		// Where the person was, once enough is on the page.
		let restore = scrolledTo();
		let height = box.scrollHeight;
		let top = box.scrollTop;
		const follow = () => {
			const grown = box.scrollHeight - height;
			height = box.scrollHeight;
			if (restore !== undefined && box.scrollHeight - box.clientHeight >= restore) {
				box.scrollTop = box.scrollHeight - box.clientHeight - restore;
				restore = undefined;
				set(fromEnd() < NEAR);
			} else if (sticks.current) box.scrollTop = box.scrollHeight;
			// The browser keeps the place when something grows above, except at the very top.
			else if (box.scrollTop === 0 && grown > 0) box.scrollTop = grown;
			top = box.scrollTop;
		};
		const onScroll = () => {
			const up = box.scrollTop < top;
			top = box.scrollTop;
			if (fromEnd() < NEAR) set(true);
			else if (up) set(false);
			if (restore === undefined) keepScroll(sticks.current ? undefined : fromEnd());
		};
		set(true);
		follow();
		const observer = new ResizeObserver(follow);
		observer.observe(box);
		observer.observe(inner);
		box.addEventListener("scroll", onScroll, { passive: true });
		return () => {
			observer.disconnect();
			box.removeEventListener("scroll", onScroll);
		};
	}, [session]);

	const toEnd = () => {
		sticks.current = true;
		setStuck(true);
		scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
	};
	return { stuck, toEnd };
}
