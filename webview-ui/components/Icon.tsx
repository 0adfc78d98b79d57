// A codicon. Icons never carry meaning alone, so they are hidden from screen readers.
export function Icon({ name, spin, class: extra }: { name: string; spin?: boolean; class?: string }) {
	const icon = /^[a-z][a-z0-9-]*$/.test(name) ? name : name.replace(/^\$\((.*?)(?:~.*)?\)$/, "$1");
	return <span aria-hidden="true" class={`codicon codicon-${icon}${spin ? " spin" : ""}${extra ? ` ${extra}` : ""}`} />;
}

export function Spinner() {
	return <Icon name="loading" spin />;
}
