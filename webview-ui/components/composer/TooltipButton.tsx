// A button with a tooltip on hover and focus. Escape hides the tooltip.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

interface TipProps {
	label: string;
	/** Visible content of the button. */
	face: ComponentChildren;
	class: string;
	onClick?(): void;
	children: ComponentChildren;
}

export function TooltipButton({ label, face, class: extra, onClick, children }: TipProps) {
	const id = useId();
	const [dismissed, setDismissed] = useState(false);
	return (
		<span class={dismissed ? "tip" : "tip shows"}>
			<button
				type="button"
				class={`link quiet ${extra}`}
				aria-label={label}
				aria-describedby={id}
				onMouseEnter={() => setDismissed(false)}
				onBlur={() => setDismissed(false)}
				onKeyDown={(key) => setDismissed(key.key === "Escape")}
				onClick={onClick}
			>
				{face}
			</button>
			<span role="tooltip" id={id} class="tip-text">
				{children}
			</span>
		</span>
	);
}
