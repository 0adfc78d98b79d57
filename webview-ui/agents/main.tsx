// Entry point of "Manage Agents": applies the host's updates and sends the user's actions.
import "../loadTranslations.ts";
import "@vscode/codicons/dist/codicon.css";
import "../styles/base.css";
import "../styles/lines.css";
import "../styles/cards.css";
import "../styles/requests.css";
import "../styles/change.css";
import "../styles/agentColors.css";
import "./styles/page.css";
import "./styles/fields.css";
import "./styles/appearance.css";
import "./styles/scope.css";
import { render } from "preact";
import type { AgentsUpdate } from "../../src/shared/protocol/agents.ts";
import type { Acknowledgment } from "../../src/shared/protocol/numbered.ts";
import { noteMessage } from "../settled.ts";
import { AgentsApp } from "./AgentsApp.tsx";
import { postIntent, storeToken } from "./host.ts";
import { applyUpdate, flushDrafts, saveDraft } from "./state.ts";

window.addEventListener("message", ({ data: update }: MessageEvent<AgentsUpdate | Acknowledgment>) => {
	if (noteMessage(update)) return;
	if (typeof update !== "object" || update === null || typeof update.type !== "string") return;
	storeToken(update);
	applyUpdate(update);
});

window.addEventListener("keydown", (key) => {
	if (!(key.ctrlKey || key.metaKey) || key.altKey || key.key.toLowerCase() !== "s") return;
	key.preventDefault();
	saveDraft();
});

document.addEventListener("visibilitychange", () => {
	if (document.visibilityState === "hidden") flushDrafts();
	else postIntent({ type: "ready" });
});
window.addEventListener("pagehide", flushDrafts);

render(<AgentsApp />, document.querySelector("#root") ?? document.body);
postIntent({ type: "ready" });
