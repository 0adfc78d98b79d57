// Renders banners for blocked turns, storage failures, and the way back after a switch.
import { t } from "../../../src/shared/l10n.ts";
import type { ChatStatus } from "../../../src/shared/protocol/chat.ts";
import { postCommand, postSessionIntent } from "../../host.ts";
import { chatStatus } from "../../state.ts";
import { cleanText, visibleLine } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";

export function Banners() {
	const { blocked, storage, switchedFrom } = chatStatus.value ?? {};
	return (
		<>
			{storage && (
				<div class="banner warning">
					<Icon name="warning" />
					<span>{cleanText(storage)}</span>
				</div>
			)}
			{blocked && (
				<div class="banner">
					<Icon name="info" />
					<span>{cleanText(blocked.text)}</span>
					{blocked.command && (
						<button type="button" class="secondary" onClick={() => blocked.command && postCommand(blocked.command)}>
							{blocked.button ?? t("Fix")}
						</button>
					)}
				</div>
			)}
			{switchedFrom && <SwitchedFrom {...switchedFrom} />}
		</>
	);
}

/** The way back to the session that the user switched from. */
function SwitchedFrom({ agent, deleted }: NonNullable<ChatStatus["switchedFrom"]>) {
	const name = visibleLine(agent);
	return (
		<div class="banner slim">
			<Icon name="arrow-swap" />
			<span class="way-back">
				<span>{deleted ? t("You came from {0}. That session was deleted.", name) : t("From {0}", name)}</span>
				{!deleted && (
					<button type="button" class="link" onClick={() => postSessionIntent("switchedHere", { how: "return" })}>
						{t("Return with Summary")}
					</button>
				)}
			</span>
			<button
				type="button"
				class="icon-button"
				aria-label={t("Stay Here")}
				title={t("Stay Here (hides this line)")}
				onClick={() => postSessionIntent("switchedHere", { how: "stay" })}
			>
				<Icon name="close" />
			</button>
		</div>
	);
}
