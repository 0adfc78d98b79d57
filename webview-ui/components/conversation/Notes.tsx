// Renders notes between messages, and the card of a failed turn with its next steps.

import { useEffect, useState } from "preact/hooks";
import type { HelpCommand } from "../../../src/core/events.ts";
import { t } from "../../../src/shared/l10n.ts";
import type { FailureItem, NoteItem } from "../../conversation/items.ts";
import { postCommand, postSessionIntent } from "../../host.ts";
import { chatStatus, helpCompleted, transcript } from "../../state.ts";
import { cleanText } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";

/** Counts down, then says that the request was retried. */
function Retry({ retry: { why, until, attempt, of } }: { retry: NonNullable<NoteItem["retry"]> }) {
	const [now, setNow] = useState(Date.now());
	const left = Math.ceil((until - now) / 1_000);
	useEffect(() => {
		if (left <= 0) return undefined;
		const timer = setTimeout(() => setNow(Date.now()), 1_000);
		return () => clearTimeout(timer);
	}, [now, left]);
	const reason = cleanText(why);
	return (
		<>
			{left > 0 ? t("{0} Retrying in {1} s ({2} of {3}).", reason, left, attempt, of) : t("{0} Retried ({1} of {2}).", reason, attempt, of)}
		</>
	);
}

export function Note({ item }: { item: NoteItem }) {
	const [open, toggle] = useExpanded(`note:${item.key}`, false);
	return (
		<div class={`note ${item.level}`}>
			{item.level !== "info" && <Icon name={item.level} />}
			<span>{item.retry ? <Retry key={item.stamp} retry={item.retry} /> : cleanText(item.text)}</span>
			{item.detail && (
				<button type="button" class="link" aria-expanded={open} onClick={toggle}>
					{item.taken ? (open ? t("Hide Files") : t("Show Files")) : open ? t("Hide Summary") : t("Show Summary")}
				</button>
			)}
			{item.archive && (
				<button type="button" class="link" onClick={() => item.archive && postSessionIntent("openArchive", { archive: item.archive })}>
					{t("Open Full Conversation")}
				</button>
			)}
			{item.canContinue && <Continue after={item.key} />}
			{open && <div class="body note-detail">{cleanText(item.detail ?? "")}</div>}
		</div>
	);
}

/** Offers to continue if nothing has happened since the turn was stopped. */
function Continue({ after }: { after: string }) {
	const { folded } = transcript.value;
	const last = folded.events.findLast(({ type }) => type === "ended" || type === "user");
	if (folded.turn || folded.outcome !== "cancelled" || last?.id !== after || chatStatus.value?.blocked) return null;
	return (
		<button type="button" class="link" onClick={() => postSessionIntent("continue", {})}>
			{t("Continue")}
		</button>
	);
}

const HELP: Record<HelpCommand, string> = {
	setApiKey: t("Set API Key"),
	selectModel: t("Select Model"),
	switchAgent: t("Switch Agent"),
	openSettings: t("Open Settings"),
};

const WORDS: Record<FailureItem["outcome"], { happened: string; kept: string; button: string }> = {
	failed: { happened: t("The turn failed."), kept: t("Nothing is lost, and completed steps won't run again."), button: t("Retry") },
	limit: { happened: t("The turn reached the step limit."), kept: t("Completed work is saved."), button: t("Continue") },
	interrupted: {
		happened: t("The turn was interrupted."),
		kept: t("Nothing is lost, and completed steps won't run again."),
		button: t("Continue Here"),
	},
};

/** Word by which failures stored by 0.1.0, which lack `kept`, say that nothing was lost. */
const KEPT_WORD = t("kept");

function HelpButton({ help }: { help: HelpCommand }) {
	return (
		<button type="button" class={helpCompleted.value ? "secondary" : "primary"} onClick={() => postCommand(help)}>
			{HELP[help]}
		</button>
	);
}

export function FailureCard({ item }: { item: FailureItem }) {
	const { happened, kept, button } = WORDS[item.outcome];
	const text = item.error ? cleanText(item.error) : happened;
	return (
		<div class={`card failure ${item.outcome === "failed" ? "accent-red" : "accent-amber"}`}>
			<div class="card-head">
				<Icon name={item.outcome === "failed" ? "error" : "warning"} />
				<span class="card-title plain">{text}</span>
			</div>
			<div class="card-body">
				{!item.kept && !text.includes(KEPT_WORD) && <p class="secondary-text">{kept}</p>}
				{item.isCurrent && (
					<div class="buttons">
						{item.help && <HelpButton help={item.help} />}
						<button
							type="button"
							class={item.help && !helpCompleted.value ? "secondary" : "primary"}
							onClick={() => postSessionIntent("continue", {})}
						>
							{button}
						</button>
						{(item.help === "selectModel" || item.help === "setApiKey") && (
							<button type="button" class="secondary" onClick={() => postCommand("addProvider")}>
								{t("Add Provider…")}
							</button>
						)}
						{item.outcome === "failed" && (
							<button type="button" class="secondary" onClick={() => postCommand("showLog")}>
								{t("Show Log")}
							</button>
						)}
					</div>
				)}
			</div>
		</div>
	);
}
