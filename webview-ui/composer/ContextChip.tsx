// Renders the editor context of the next message as a chip; a click excludes or includes it.
import { t } from "../../src/shared/l10n.ts";
import type { EditorContextChip } from "../../src/shared/protocol/chat.ts";
import { Icon } from "../components/Icon.tsx";
import { postSessionIntent } from "../host.ts";
import { chatStatus } from "../state.ts";
import { cleanText } from "../text/displayText.ts";

export function ContextChip() {
	const panel = chatStatus.value?.panel;
	if (!panel) return null;
	const { on, name, lines } = panel;
	const range = !lines ? "" : lines[0] === lines[1] ? `:${lines[0]}` : `:${lines[0]}-${lines[1]}`;
	return (
		<li class={`attachment context-chip${on ? "" : " off"}`}>
			<button
				type="button"
				aria-pressed={on}
				aria-label={spoken(panel)}
				title={on ? t("Messages mention that you're viewing this. Click to exclude.") : t("Not included. Click to include.")}
				onClick={() => postSessionIntent("panelContext", { on: !on })}
			>
				<Icon name={on ? "eye" : "eye-closed"} />
				<span class="attachment-name">{cleanText(name)}</span>
				{range && <span class="context-lines">{range}</span>}
			</button>
		</li>
	);
}

function spoken({ place, lines }: EditorContextChip): string {
	const where = cleanText(place);
	if (!lines) return t("Context: {0}", where);
	if (lines[0] === lines[1]) return t("Context: {0}, line {1}", where, lines[0]);
	return t("Context: {0}, lines {1} to {2}", where, lines[0], lines[1]);
}
