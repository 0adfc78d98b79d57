// The find widget above the conversation, as in editors.
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import {
	clearHighlights,
	currentMatch,
	earlierMatches,
	findQuery,
	findRequest,
	highlightMatches,
	isFindOpen,
	isSearching,
	matches,
	openFind,
	rangeIndex,
	revealedMatch,
	stepMatch,
} from "../../find/find.ts";
import { focusComposer } from "../../focus/focus.ts";
import { hasEarlierEvents } from "../../state.ts";
import { Icon } from "../Icon.tsx";

export function FindWidget() {
	useEffect(() => {
		const onKey = (key: KeyboardEvent) => {
			if (key.altKey || key.shiftKey || key.key.toLowerCase() !== "f" || !(key.ctrlKey || key.metaKey)) return;
			// Keep the workbench from handling it.
			key.preventDefault();
			key.stopPropagation();
			openFind();
		};
		document.addEventListener("keydown", onKey, { capture: true });
		return () => document.removeEventListener("keydown", onKey, { capture: true });
	}, []);
	return isFindOpen.value ? <Widget /> : null;
}

function Widget() {
	const field = useRef<HTMLInputElement>(null);
	useMarks();
	useEffect(() => {
		const { words } = findRequest.value;
		if (words) findQuery.value = words;
		field.current?.focus();
		field.current?.select();
	}, [findRequest.value]);
	const close = () => {
		isFindOpen.value = false;
		focusComposer();
	};
	const onKeyDown = (key: KeyboardEvent) => {
		if (key.isComposing) return;
		const acts: Record<string, () => void> = {
			Escape: close,
			Enter: () => key.target === field.current && stepMatch(key.shiftKey ? -1 : 1),
			F3: () => stepMatch(key.shiftKey ? -1 : 1),
		};
		const act = acts[key.key];
		if (!act || (key.key === "Enter" && key.target !== field.current)) return;
		key.preventDefault();
		key.stopPropagation();
		act();
	};
	const none = matches.value.length === 0 && !earlierMatches.value?.count;
	return (
		<search class="find" aria-label={t("Find in conversation")} onKeyDown={onKeyDown}>
			<input
				ref={field}
				aria-label={t("Find")}
				placeholder={t("Find")}
				value={findQuery.value}
				spellcheck={false}
				class={none && findQuery.value && !isSearching.value ? "none" : ""}
				onInput={(input) => {
					findQuery.value = input.currentTarget.value;
				}}
			/>
			<span class="find-count" role="status">
				{countOf()}
			</span>
			<button
				type="button"
				class="icon-button"
				aria-label={t("Previous Match")}
				title={t("Previous Match (Shift+Enter)")}
				aria-disabled={none}
				onClick={() => stepMatch(-1)}
			>
				<Icon name="arrow-up" />
			</button>
			<button
				type="button"
				class="icon-button"
				aria-label={t("Next Match")}
				title={t("Next Match (Enter)")}
				aria-disabled={none}
				onClick={() => stepMatch(1)}
			>
				<Icon name="arrow-down" />
			</button>
			<button type="button" class="icon-button" aria-label={t("Close")} title={t("Close (Escape)")} onClick={close}>
				<Icon name="close" />
			</button>
		</search>
	);
}

function countOf(): string {
	if (findQuery.value === "") return "";
	const earlier = earlierMatches.value?.count ?? 0;
	if (matches.value.length > 0) {
		const [current, all] = [currentMatch.value + 1, matches.value.length];
		return earlier > 0 ? t("{0} of {1}+", current, all) : t("{0} of {1}", current, all);
	}
	if (earlier > 0) return t("{0} earlier", earlier);
	return isSearching.value || (hasEarlierEvents.value && !earlierMatches.value) ? t("Searching…") : t("No results");
}

/** Frames to wait for a match to be rendered. */
const MAX_FRAMES = 60;

/** Updates the highlights while the page changes, and scrolls to the current match. */
function useMarks(): void {
	const wanted = findQuery.value;
	const match = matches.value[currentMatch.value];
	const target = match && { key: match.item.key, inItem: rangeIndex(match, wanted) };
	const seek = useRef<{ framesLeft: number } | undefined>(undefined);
	useEffect(() => {
		seek.current = revealedMatch.value ? { framesLeft: MAX_FRAMES } : undefined;
	}, [revealedMatch.value]);
	useEffect(() => {
		const content = document.querySelector(".content");
		if (!content) return undefined;
		let frame = 0;
		const draw = () => {
			frame = 0;
			const found = highlightMatches(wanted, target);
			if (!seek.current) return;
			seek.current.framesLeft -= 1;
			if (found) show(found);
			else content.querySelector(`.row[data-key="${CSS.escape(target?.key ?? "")}"] .markdown`)?.dispatchEvent(new Event("draw"));
			if (found || seek.current.framesLeft <= 0) seek.current = undefined;
			else later();
		};
		const later = () => {
			frame ||= requestAnimationFrame(draw);
		};
		const observer = new MutationObserver(later);
		observer.observe(content, { childList: true, subtree: true, characterData: true });
		later();
		return () => {
			observer.disconnect();
			cancelAnimationFrame(frame);
		};
	}, [wanted, target?.key, target?.inItem, revealedMatch.value]);
	useEffect(() => clearHighlights, []);
}

/** Scrolls to the middle of the conversation and of any scrollable element around it. */
function show(range: Range): void {
	const inner = range.startContainer.parentElement?.closest(".output, .input, .thinking-text, pre");
	for (const box of [inner, document.querySelector(".scroller")]) {
		if (!box) continue;
		const [frame, place] = [box.getBoundingClientRect(), range.getBoundingClientRect()];
		if (place.top < frame.top + 40 || place.bottom > frame.bottom - 8) box.scrollTop += place.top - frame.top - frame.height / 2;
		if (place.left < frame.left || place.right > frame.right) box.scrollLeft += place.left - frame.left - frame.width / 2;
	}
}
