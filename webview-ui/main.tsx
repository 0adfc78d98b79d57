// Wires the page: updates of the host go into the state, acts of the person go out.
import "./words.ts";
import "@vscode/codicons/dist/codicon.css";
import "./styles/base.css";
import "./styles/conversation.css";
import "./styles/empty.css";
import "./styles/markdown.css";
import "./styles/lines.css";
import "./styles/cards.css";
import "./styles/change.css";
import "./styles/actions.css";
import "./styles/asking.css";
import "./styles/calls.css";
import "./styles/composer.css";
import "./styles/find.css";
import "./styles/popup.css";
import "./styles/brought.css";
import "./styles/meter.css";
import "./styles/tints.css";
import { render } from "preact";
import type { Update } from "../src/shared/protocol/chat.ts";
import { App } from "./components/App.tsx";
import { takeOver } from "./composer/early.ts";
import { takeUpdate } from "./composer/updates.ts";
import { announce } from "./focus/announce.ts";
import { swallowChords } from "./focus/chords.ts";
import { compose, moveFocus } from "./focus/focus.ts";
import { recoverFocus } from "./focus/focusRecovery.ts";
import { drawByFrames, drawNow, onceDrawn, received } from "./frames.ts";
import { act, keepToken, post } from "./host.ts";
import { flush } from "./persistedState.ts";
import { receive } from "./state.ts";
import { actOnCode } from "./text/codeActs.ts";
import { forgetMissing, linkFiles, openFile, pathsFound } from "./text/paths.ts";

linkFiles({ find: (paths) => act("findPaths", { paths }), open: (place) => act("openPath", place) });

window.addEventListener("message", ({ data }: MessageEvent<Update>) => received(() => hear(data)));

function hear(update: Update): void {
	if (typeof update !== "object" || update === null || typeof update.type !== "string") return;
	keepToken(update);
	if (update.type === "focus") onceDrawn(() => moveFocus(update.where));
	else if (update.type === "compose") onceDrawn(() => compose(update.text, update.back));
	else if (update.type === "paths") pathsFound(update);
	else if (!takeUpdate(update)) fold(update);
}

function fold(update: Update): void {
	if (update.type === "event" && update.event.type === "ended") forgetMissing();
	if (receive(update) === "gap") post({ type: "ready" });
	else if (update.type === "event") announce(update.event);
	// Words are waited for, and come ten times a second at most.
	else if (update.type === "live" && update.event.type === "delta") drawNow();
}

document.addEventListener("visibilitychange", () => {
	if (document.visibilityState === "hidden") flush();
	else post({ type: "ready" });
});
swallowChords();
window.addEventListener("pagehide", flush);
// A view that another one takes the place of is gone without a word.
window.addEventListener("blur", flush);
for (const type of ["focus", "blur"]) window.addEventListener(type, () => post({ type: "focused", focused: type === "focus" }));

// Links and copy buttons in rendered Markdown. In the capture phase and stopped there: nothing else may act on them.
for (const type of ["click", "auxclick", "keydown"] as const) {
	document.addEventListener(type, (event) => onRendered(event), { capture: true });
}

function onRendered(event: MouseEvent | KeyboardEvent): void {
	const target = event.target instanceof Element ? event.target : undefined;
	const link = target?.closest<HTMLElement>("a[data-url], .file-link");
	const button = target?.closest<HTMLElement>(".code-act");
	if (!event.isTrusted || (!link && !button)) return;
	if (event instanceof KeyboardEvent && (event.key !== "Enter" || !link)) return;
	event.preventDefault();
	event.stopPropagation();
	const url = link?.dataset["url"];
	if (link?.classList.contains("file-link")) {
		if (event.type !== "auxclick") openFile(link);
	} else if (url) post({ type: "openLink", url, text: link?.textContent ?? "" });
	else if (button && event.type === "click") actOnCode(button);
}

const root = document.querySelector("#root") ?? document.body;
drawByFrames();
render(<App />, root);
takeOver();
recoverFocus(root);
post({ type: "ready" });
if (document.hasFocus()) post({ type: "focused", focused: true });
