// Entry point of the chat: applies the host's updates and sends the user's actions.
import "./loadTranslations.ts";
import "@vscode/codicons/dist/codicon.css";
import "./styles/base.css";
import "./styles/conversation.css";
import "./styles/empty.css";
import "./styles/markdown.css";
import "./styles/lines.css";
import "./styles/cards.css";
import "./styles/change.css";
import "./styles/actions.css";
import "./styles/requests.css";
import "./styles/calls.css";
import "./styles/taskChanges.css";
import "./styles/composer.css";
import "./styles/find.css";
import "./styles/popup.css";
import "./styles/attachments.css";
import "./styles/meter.css";
import "./styles/agentColors.css";
import { render } from "preact";
import type { Update } from "../src/shared/protocol/chat.ts";
import type { Acknowledgment } from "../src/shared/protocol/numbered.ts";
import { App } from "./components/App.tsx";
import { endEarlyInput } from "./composer/earlyInput.ts";
import { handleComposerUpdate } from "./composer/updates.ts";
import { announceEvent, announceRequests } from "./focus/announce.ts";
import { suppressChordInput } from "./focus/chords.ts";
import { composeText, moveFocus } from "./focus/focus.ts";
import { installFocusRecovery } from "./focus/focusRecovery.ts";
import { afterRender, batchHostUpdate, installFrameRendering, renderNow } from "./frameScheduler.ts";
import { postIntent, postSessionIntent, storeToken } from "./host.ts";
import { flushPersistedState } from "./persistedState.ts";
import { noteMessage } from "./settled.ts";
import { applyUpdate, calledRequests } from "./state.ts";
import { runCodeBlockAction } from "./text/codeBlockActions.ts";
import { applyFoundPaths, forgetMissingFiles, openFileLink, setFileLinkHost } from "./text/fileLinks.ts";

setFileLinkHost({ find: (paths) => postSessionIntent("findPaths", { paths }), open: (place) => postSessionIntent("openPath", place) });

window.addEventListener("message", ({ data }: MessageEvent<Update | readonly Update[] | Acknowledgment>) => {
	if (!noteMessage(data)) [data].flat().forEach(receiveSafely);
});

/** One that fails takes none of those with it that came in the same message. */
function receiveSafely(update: Update): void {
	try {
		batchHostUpdate(() => receive(update));
	} catch (error) {
		reportError(error);
	}
}

function receive(update: Update): void {
	if (typeof update !== "object" || update === null || typeof update.type !== "string") return;
	storeToken(update);
	if (update.type === "focus") afterRender(() => moveFocus(update.where));
	else if (update.type === "compose") afterRender(() => composeText(update.text, update.back));
	else if (update.type === "paths") applyFoundPaths(update);
	else if (!handleComposerUpdate(update)) fold(update);
}

function fold(update: Update): void {
	if (update.type === "event" && update.event.type === "ended") forgetMissingFiles();
	const requests = calledRequests.peek();
	if (applyUpdate(update) === "gap") postIntent({ type: "ready" });
	else if (update.type === "called") announceRequests(requests);
	else if (update.type === "event") announceEvent(update.event);
	// Streamed text is rendered at once; it arrives at most ten times a second.
	else if (update.type === "live" && update.event.type === "delta") renderNow();
}

document.addEventListener("visibilitychange", () => {
	if (document.visibilityState === "hidden") flushPersistedState();
	else postIntent({ type: "ready" });
});
suppressChordInput();
window.addEventListener("pagehide", flushPersistedState);
// A view replaced by another gets no further event.
window.addEventListener("blur", flushPersistedState);
for (const type of ["focus", "blur"]) window.addEventListener(type, () => postIntent({ type: "focused", focused: type === "focus" }));

// Handles links and copy buttons in rendered Markdown, in the capture phase, so that nothing else does.
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
		if (event.type !== "auxclick") openFileLink(link);
	} else if (url) postIntent({ type: "openLink", url, text: link?.textContent ?? "" });
	else if (button && event.type === "click") runCodeBlockAction(button);
}

const root = document.querySelector("#root") ?? document.body;
installFrameRendering();
render(<App />, root);
endEarlyInput();
installFocusRecovery(root);
postIntent({ type: "ready" });
if (document.hasFocus()) postIntent({ type: "focused", focused: true });
