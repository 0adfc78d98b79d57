// A reply that reached nobody: what it says, and why it wasn't delivered.
import type { CallState } from "../../../src/core/transcript/state.ts";
import { t } from "../../../src/shared/l10n.ts";
import { asRecord, type ToolCallStatus } from "../../conversation/toolCallLabels.ts";
import { visibleText } from "../../text/displayText.ts";
import { Group } from "../conversation/Group.tsx";
import { Markdown } from "../conversation/Markdown.tsx";
import { Icon } from "../Icon.tsx";

const UNDELIVERED: ReadonlySet<ToolCallStatus> = new Set(["error", "denied", "cancelled"]);

export function isUndeliveredReply({ call }: CallState, status: ToolCallStatus): boolean {
	return call.name === "reply" && UNDELIVERED.has(status);
}

export function UndeliveredReply({ entry: { call, result } }: { entry: CallState }) {
	const { text } = asRecord(call.input);
	const reason = (result?.output ?? "").replace(PREFIX, "").trim();
	return (
		<Group name={t("Reply not delivered")} class="call error undelivered">
			<div class="line">
				<Icon name="error" />
				<span class="told whole">
					{reason === "" ? t("This reply wasn't delivered.") : t("This reply wasn't delivered: {0}", visibleText(reason))}
				</span>
			</div>
			{typeof text === "string" && (
				<div class="body">
					<Markdown text={text} />
				</div>
			)}
		</Group>
	);
}

/** Prefix of the text that the model is told. */
const PREFIX = /^Not delivered: /;
