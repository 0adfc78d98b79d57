// An empty conversation: three things to try here, and which model answers and why.
import { t } from "../../src/l10n.ts";
import { act, command } from "../host.ts";
import { surroundings } from "../state.ts";
import { cleanText } from "../visible.ts";
import { Icon } from "./Icon.tsx";

export function Empty() {
	const around = surroundings.value;
	if (!around) return null;
	const { suggestions, model } = around;
	return (
		<div class="empty">
			{suggestions.length > 0 && (
				<>
					<h2>{t("Try in this workspace")}</h2>
					<div class="options">
						{suggestions.map((suggestion) => (
							<button key={suggestion} type="button" class="option" onClick={() => act("send", { text: suggestion })}>
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
					{t(
						"The offline model is not a language model. It understands plain requests to rename, replace, create, delete, find, explain and run.",
					)}
				</p>
			)}
			{(model.offline || model.id === "" || model.id === "auto") && (
				<p class="secondary-text">
					<button type="button" class="link" onClick={() => command("selectModel")}>
						{t("Choose a model")}
					</button>
					{" · "}
					<button type="button" class="link" onClick={() => command("setApiKey")}>
						{t("Set an API key")}
					</button>
				</p>
			)}
		</div>
	);
}
