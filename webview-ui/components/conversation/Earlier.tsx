// Above a conversation whose beginning is not on the page: brings more of it once that is in sight, or where the person asks.
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import { requestEarlier } from "../../conversation/earlier.ts";
import { hasEarlierEvents, loadingEarlier, readProgress } from "../../state.ts";
import { Spinner } from "../Icon.tsx";

export function LoadEarlier() {
	const button = useRef<HTMLButtonElement>(null);
	const waits = loadingEarlier.value;
	useEffect(() => {
		const element = button.current;
		if (!element || waits) return undefined;
		const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && requestEarlier());
		observer.observe(element);
		return () => observer.disconnect();
	}, [waits, hasEarlierEvents.value]);
	if (!hasEarlierEvents.value) return null;
	return (
		<div class="earlier">
			<button ref={button} type="button" class="link" aria-disabled={waits} onClick={() => requestEarlier()}>
				{waits && <Spinner />} {waits ? t("Loading earlier messages…") : t("Show earlier messages")}
			</button>
		</div>
	);
}

/** A long session is read for the first time, or whole. */
export function ReadProgress() {
	const part = readProgress.value;
	return (
		<div class="reading" role="status" hidden={part === undefined}>
			{part !== undefined && (
				<>
					<Spinner /> {t("Reading the session: {0}%", Math.floor(part * 100))}
				</>
			)}
		</div>
	);
}
