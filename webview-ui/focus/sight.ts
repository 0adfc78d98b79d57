// Brings what the page was asked to show into sight, and has the conversation stay there.

export function revealElement(element: HTMLElement, block: "start" | "nearest"): void {
	element.scrollIntoView({ block });
	// The browser tells of it a frame later; what is drawn until then would lead back to the end.
	element.closest(".scroller")?.dispatchEvent(new Event("scroll"));
}
