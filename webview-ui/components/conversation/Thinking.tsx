// What the model thought, folded into one line.
import { t } from "../../../src/shared/l10n.ts";
import { thinkingKey } from "../../conversation/items.ts";
import { sessionId } from "../../state.ts";
import { cleanText } from "../../text/visible.ts";
import { useExpanded } from "../hooks.ts";
import { Icon } from "../Icon.tsx";

export function Thinking({ id, text }: { id: string; text: string }) {
	const [open, toggle] = useExpanded(thinkingKey(sessionId.value, id), false);
	return (
		<div class="thinking">
			<button type="button" class="line" aria-expanded={open} onClick={toggle}>
				<Icon name={open ? "chevron-down" : "chevron-right"} />
				<Icon name="lightbulb" />
				<span class="verb">{t("Thought")}</span>
			</button>
			{open && <div class="body thinking-text">{cleanText(text)}</div>}
		</div>
	);
}
