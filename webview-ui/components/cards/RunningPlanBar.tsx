// Shows the running plan's step above the conversation while its card is out of view, and leads back.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import { revealElement } from "../../focus/focus.ts";
import { isTurnRunning, transcript } from "../../state.ts";
import { escapeHiddenCharacters } from "../../text/displayText.ts";
import { Icon, Spinner } from "../Icon.tsx";

/** The card of the running plan while it is out of sight. */
const away = signal<HTMLElement | undefined>(undefined);

export function useRunningPlanObserver(runs: boolean) {
	const element = useRef<HTMLElement>(null);
	useLayoutEffect(() => {
		const card = element.current;
		if (!runs || !card) return undefined;
		const observer = new IntersectionObserver(([entry]) => {
			away.value = entry?.isIntersecting ? undefined : card;
		});
		observer.observe(card);
		return () => {
			observer.disconnect();
			if (away.peek() === card) away.value = undefined;
		};
	}, [runs]);
	return element;
}

export function RunningPlanBar() {
	const run = transcript.value.folded.run;
	const card = away.value;
	if (!run || !card) return null;
	const { steps } = run.event.plan;
	const at = steps.findIndex((step) => step.step_number === run.step);
	const words =
		at < 0
			? escapeHiddenCharacters(run.event.plan.goal)
			: t("Step {0} of {1}: {2}", at + 1, steps.length, escapeHiddenCharacters(steps[at]?.action ?? "").replaceAll("`", ""));
	const show = () => {
		revealElement(card, "start");
		// The bar goes once its plan is in sight, and the focus must not go with it to what waits elsewhere.
		card.querySelector("button")?.focus({ preventScroll: true });
	};
	return (
		<button type="button" class="run-bar" title={t("Show Plan")} onClick={show}>
			{isTurnRunning.value ? <Spinner /> : <Icon name="debug-pause" />}
			<span>{words}</span>
		</button>
	);
}
