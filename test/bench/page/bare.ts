// Baseline page: plain Markdown block by block, plain text for a session, no colors, cards or fold.
import MarkdownIt from "markdown-it";

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

interface BareUpdate {
	type: string;
	events?: { type: string; text?: string; output?: string }[];
	event?: { type: string; text?: string };
}

const parser = new MarkdownIt({ linkify: true });
const scroller = document.createElement("div");
scroller.className = "scroller bare";
const root = document.createElement("div");
scroller.append(root);
document.body.append(scroller);

let open = "";
let shown = 0;
let last: HTMLElement | undefined;

window.addEventListener("message", ({ data }: MessageEvent<BareUpdate>) => {
	if (data.type === "snapshot") show(data.events ?? []);
	if (data.type === "live" && data.event?.type === "delta") stream(data.event.text ?? "");
	// The event has it whole; its last words may not have come as a delta.
	if (data.type === "event" && data.event?.type === "assistant") stream((data.event.text ?? "").slice(shown));
});
acquireVsCodeApi().postMessage({ type: "ready" });

function show(events: NonNullable<BareUpdate["events"]>): void {
	root.replaceChildren(
		...events.map(({ text, output }) => {
			const block = document.createElement("div");
			block.textContent = text ?? output ?? "";
			return block;
		}),
	);
	scroller.scrollTop = scroller.scrollHeight;
}

/** The blocks that are whole stay; the last one is written anew. */
function stream(delta: string): void {
	open += delta;
	shown += delta.length;
	const tokens = parser.parse(open, {});
	const starts = tokens.filter((token) => token.level === 0 && token.map && token.nesting >= 0).map((token) => token.map?.[0] ?? 0);
	const lines = open.split("\n");
	for (const [index, start] of starts.entries()) {
		if (!last || index > 0) {
			last = document.createElement("div");
			root.append(last);
		}
		last.innerHTML = parser.render(lines.slice(index === 0 ? 0 : start, starts[index + 1]).join("\n"));
	}
	open = lines.slice(starts.at(-1) ?? 0).join("\n");
	scroller.scrollTop = scroller.scrollHeight;
}
