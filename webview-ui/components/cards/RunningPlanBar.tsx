// Shows the running plan's step above the conversation while its card is out of view.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import { revealElement } from "../../focus/focus.ts";
import { isTurnRunning, transcript } from "../../state.ts";
import { escapeHiddenCharacters } from "../../text/displayText.ts";
import { Icon, Spinner } from "../Icon.tsx";

/** The running plan's card while it is out of view. */
const hiddenCard = signal<HTMLElement | undefined>(undefined);

export function useRunningPlanObserver(runs: boolean) {
	const element = useRef<HTMLElement>(null);
	useLayoutEffect(() => {
		const card = element.current;
		if (!runs || !card) return undefined;
		const observer = new IntersectionObserver(([entry]) => {
			hiddenCard.value = entry?.isIntersecting ? undefined : card;
		});
		observer.observe(card);
		return () => {
			observer.disconnect();
			if (hiddenCard.peek() === card) hiddenCard.value = undefined;
		};
	}, [runs]);
	return element;
}

export function RunningPlanBar() {
	const run = transcript.value.folded.run;
	const card = hiddenCard.value;
	if (!run || !card) return null;
	const { steps } = run.event.plan;
	const at = steps.findIndex((step) => step.step_number === run.step);
	const label =
		at < 0
			? escapeHiddenCharacters(run.event.plan.goal)
			: t("Step {0} of {1}: {2}", at + 1, steps.length, escapeHiddenCharacters(steps[at]?.action ?? "").replaceAll("`", ""));
	const show = () => {
		revealElement(card, "start");
		// The bar disappears when the plan is visible; focus must not move to a pending card elsewhere.
		card.querySelector("button")?.focus({ preventScroll: true });
	};
	return (
		<button type="button" class="run-bar" title={t("Show Plan")} onClick={show}>
			{isTurnRunning.value ? <Spinner /> : <Icon name="debug-pause" />}
			<span>{label}</span>
		</button>
	);
}
