// Above a conversation whose beginning is not on the page: brings more of it once that is in sight, or where the person asks.
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import { askEarlier } from "../../conversation/earlier.ts";
import { asking, more, reading } from "../../state.ts";
import { Spinner } from "../Icon.tsx";

export function Earlier() {
	const button = useRef<HTMLButtonElement>(null);
	const waits = asking.value;
	useEffect(() => {
		const element = button.current;
		if (!element || waits) return undefined;
		const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && askEarlier());
		observer.observe(element);
		return () => observer.disconnect();
	}, [waits, more.value]);
	if (!more.value) return null;
	return (
		<div class="earlier">
			<button ref={button} type="button" class="link" aria-disabled={waits} onClick={() => askEarlier()}>
				{waits && <Spinner />} {waits ? t("Loading earlier messages…") : t("Show earlier messages")}
			</button>
		</div>
	);
}

/** A long session is read for the first time, or whole. */
export function Reading() {
	const part = reading.value;
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
