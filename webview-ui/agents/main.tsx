// Wires the page "Manage Agents": updates of the host go into the state, acts of the person go out.
import "../words.ts";
import "@vscode/codicons/dist/codicon.css";
import "../styles/base.css";
import "../styles/lines.css";
import "../styles/cards.css";
import "../styles/asking.css";
import "../styles/change.css";
import "../styles/tints.css";
import "./styles/page.css";
import "./styles/fields.css";
import "./styles/look.css";
import "./styles/scope.css";
import { render } from "preact";
import type { AgentsUpdate } from "../../src/shared/protocol/agents.ts";
import { keepToken, post } from "./host.ts";
import { Page } from "./Page.tsx";
import { receive, store, tell } from "./state.ts";

window.addEventListener("message", (message: MessageEvent<AgentsUpdate>) => {
	const update = message.data;
	if (typeof update !== "object" || update === null || typeof update.type !== "string") return;
	keepToken(update);
	receive(update);
});

window.addEventListener("keydown", (key) => {
	if (!(key.ctrlKey || key.metaKey) || key.altKey || key.key.toLowerCase() !== "s") return;
	key.preventDefault();
	store();
});

document.addEventListener("visibilitychange", () => {
	if (document.visibilityState === "hidden") tell();
	else post({ type: "ready" });
});
window.addEventListener("pagehide", tell);

render(<Page />, document.querySelector("#root") ?? document.body);
post({ type: "ready" });
