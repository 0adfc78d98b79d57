// An empty conversation: recent sessions, suggestions, and which model answers and why.

import { t } from "../../../src/shared/l10n.ts";
import type { RecentSession } from "../../../src/shared/protocol/chat.ts";
import { formatRelativeTime } from "../../../src/shared/relativeTime.ts";
import { postCommand, postIntent, postSessionIntent } from "../../host.ts";
import { chatStatus } from "../../state.ts";
import { cleanText } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";

export function EmptyState() {
	const status = chatStatus.value;
	if (!status) return null;
	const { suggestions, recent, model, talks } = status;
	return (
		<div class="empty">
			{recent.length > 0 && (
				<>
					<div class="empty-head">
						<h2>{t("Recent sessions")}</h2>
						<button type="button" class="link" onClick={() => postCommand("showSessions")}>
							{t("Show All")}
						</button>
					</div>
					<div class="recent">
						{recent.map((session) => (
							<Recent key={session.id} session={session} />
						))}
					</div>
				</>
			)}
			{suggestions.length > 0 && (
				<>
					<h2>{t("Try in this workspace")}</h2>
					<div class="options">
						{suggestions.map((suggestion) => (
							<button key={suggestion} type="button" class="option" onClick={() => postSessionIntent("send", { text: suggestion })}>
								<span class="option-words">{cleanText(suggestion)}</span>
								<Icon name="arrow-right" />
							</button>
						))}
					</div>
				</>
			)}
			<p class="secondary-text">
				<Icon name={model.offline || model.id === "" ? "debug-disconnect" : "sparkle"} /> {cleanText(model.name)}: {cleanText(model.why)}
			</p>
			{model.offline && (
				<p class="secondary-text">
					{talks
						? t("The offline model isn't a language model. Talking with this agent takes one.")
						: t(
								"The offline model isn't a language model. It understands simple requests to rename, replace, create, delete, find, explain, and run.",
							)}
				</p>
			)}
			{(model.offline || model.id === "" || model.id === "auto") && (
				<p class="secondary-text">
					<button type="button" class="link" onClick={() => postCommand("selectModel")}>
						{t("Select Model")}
					</button>
					{" · "}
					<button type="button" class="link" onClick={() => postCommand("addProvider")}>
						{t("Add Provider…")}
					</button>
				</p>
			)}
		</div>
	);
}

function Recent({ session: { id, title, at, state } }: { session: RecentSession }) {
	const labels = { waiting: t("needs your attention"), running: t("running"), failed: t("failed"), interrupted: t("interrupted") };
	const shown = cleanText(title);
	const age = formatRelativeTime(at) ?? t("now");
	return (
		<button type="button" class="row-button" title={shown} onClick={() => postIntent({ type: "openSession", session: id })}>
			{state === undefined ? <Icon name="comment" /> : <Icon name={ICONS[state]} spin={state === "running"} class={`state-${state}`} />}
			<span class="recent-title">{shown}</span>
			<span class="secondary-text">{state === undefined ? age : `${labels[state]} · ${age}`}</span>
		</button>
	);
}

const ICONS = { waiting: "circle-filled", running: "loading", failed: "error", interrupted: "warning" };
