// A composer that accepts input until the webview script has loaded and takes it over.
import { t } from "./l10n.ts";

/** Maximum characters of a message. */
export const MAX_MESSAGE_LENGTH = 400_000;

/** Must have the same DOM structure as the page's composer: elements that match are neither moved nor rendered again, and keep focus. */
export function createEarlyComposer(): { style: string; body: string; script: string } {
	const escapeHtml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
	const placeholder = t("Ask, or describe a change…  @ for context, / for commands");
	const box = `<textarea id="message" aria-label="${escapeHtml(t("Message"))}" rows="1" placeholder="${escapeHtml(placeholder)}" maxlength="${MAX_MESSAGE_LENGTH}"></textarea>`;
	const composer = `<div class="composer"><div class="composer-box">${box}</div></div>`;
	const body = `<main class="app"><h1 class="sr-only">${escapeHtml(t("Chat"))}</h1><div class="conversation"></div>${composer}</main>`;
	return { style: STYLE, body, script: SCRIPT };
}

/** Has the same layout and final height as the page's composer, whose two lines below the text need the script. */
const STYLE = `*{box-sizing:border-box}
html,body,#root{height:100%;margin:0;padding:0}
body{overflow:hidden;color:var(--vscode-foreground);font:13px/1.45 var(--vscode-font-family);font-size:var(--vscode-font-size,13px)}
h1.sr-only{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}
.app{display:flex;flex-direction:column;height:100%}
.conversation{flex:1}
.composer{flex:none;padding:4px 16px 6px}
.composer-box{border:1px solid var(--vscode-input-border,var(--vscode-contrastBorder,var(--vscode-widget-border,transparent)));border-radius:4px;background:var(--vscode-input-background)}
textarea{display:block;width:100%;min-height:36px;padding:8px 10px 4px;border:0;outline:none;background:none;color:inherit;font:inherit;resize:none}
.composer-box:only-child{margin-bottom:26px}
textarea:only-child{margin-bottom:28px}`;

/** State of the early composer, stored as its property `early` until the page sets `over`. */
export interface EarlyComposerState {
	/** The webview's VS Code API, until the page takes it. */
	host?: unknown;
	/** The previously shown session, and the part of its draft that is in the composer. */
	session?: string | undefined;
	draft: string;
	/** Enter was pressed. */
	entered: boolean;
	/** It received focus because nothing else had it. */
	arrived: boolean;
	over: boolean;
}

const SCRIPT = `(() => {
const box = document.getElementById("message");
const host = acquireVsCodeApi();
const { drafts = {}, session } = host.getState() ?? {};
const [unsent, own] = [drafts[""], drafts[session]].map((draft) => typeof draft === "string" ? { text: draft } : draft);
const { text = "", cursor = [text.length, text.length] } = unsent ?? own ?? {};
const typed = box.value.replace(/\\n$/, "");
// Enter came before this script did.
const entered = typed !== box.value;
const early = box.early = { host, session, draft: unsent ? "" : text, entered, arrived: false, over: false };
box.value = text + typed;
if (!typed) box.setSelectionRange(...cursor);
const focus = () => {
	if (early.over || document.activeElement !== document.body) return;
	box.focus();
	early.arrived = true;
};
addEventListener("focus", focus);
box.addEventListener("keydown", (key) => {
	if (early.over || key.key !== "Enter" || key.shiftKey || key.isComposing || key.keyCode === 229) return;
	key.preventDefault();
	early.entered = true;
});
if (document.hasFocus()) focus();
})();`;
