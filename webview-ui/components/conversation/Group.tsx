// A named group of things that belong together, and what makes a scrolling part reachable by keyboard.
import type { ComponentChildren, FieldsetHTMLAttributes } from "preact";

interface GroupProps extends FieldsetHTMLAttributes {
	name: string;
	class: string;
	children: ComponentChildren;
}

export function Group({ name, class: extra, children, ...rest }: GroupProps) {
	return (
		<fieldset {...rest} aria-label={name} class={`group ${extra}`}>
			{children}
		</fieldset>
	);
}

/** For an element that scrolls and holds nothing that takes the focus. */
export const scrollable = { tabIndex: 0 };
