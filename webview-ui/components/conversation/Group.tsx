// A named group of elements, and attributes that make a scrollable one focusable.
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

/** Attributes of a scrollable element without focusable content. */
export const scrollable = { tabIndex: 0 };
