// Which agent talks and which model it uses. Where there is little room they are icons with a tooltip.
import { t } from "../../src/l10n.ts";
import { act, command } from "../host.ts";
import { surroundings, transcript } from "../state.ts";
import { cleanText } from "../visible.ts";
import { Icon } from "./Icon.tsx";

export function Agent() {
	const around = surroundings.value;
	if (!around) return null;
	const current = around.session?.agentId ?? transcript.value.folded.agent;
	const label = around.agents.find((agent) => agent.id === current)?.label ?? current;
	return (
		<span class="picker" title={t("Agent: {0}", label)}>
			<Icon name="hubot" />
			<span class="picker-label" aria-hidden="true">
				{cleanText(label)}
			</span>
			<Icon name="chevron-down" class="small" />
			<select aria-label={t("Agent")} value={current} onChange={(change) => act("agent", { agent: change.currentTarget.value })}>
				{around.agents.map((agent) => (
					<option key={agent.id} value={agent.id}>
						{cleanText(agent.label)}
					</option>
				))}
			</select>
		</span>
	);
}

export function Model() {
	const model = surroundings.value?.model;
	if (!model) return null;
	const name = cleanText(model.name);
	return (
		<button
			type="button"
			role="combobox"
			aria-label={t("Model")}
			aria-haspopup="dialog"
			aria-expanded="false"
			aria-controls="message"
			class="picker"
			title={t("Model: {0}. {1}", name, cleanText(model.why))}
			onClick={() => command("selectModel")}
		>
			<Icon name={model.offline ? "debug-disconnect" : "sparkle"} />
			<span class="picker-label">{name}</span>
			<Icon name="chevron-down" class="small" />
		</button>
	);
}
