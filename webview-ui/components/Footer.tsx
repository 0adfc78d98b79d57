// The last line: how full the window is, what the session has cost, and how it asks. Each part explains itself.
import { t } from "../../src/l10n.ts";
import { command } from "../host.ts";
import { contextUse, surroundings } from "../state.ts";
import { Cost, Meter } from "./Meter.tsx";
import { Tip } from "./Tip.tsx";

const MODES: Record<string, () => string> = {
	ask: () => t("Every change and command asks."),
	plan: () => t("Under a running plan, creating and updating files goes ahead; the rest asks."),
	edits: () => t("Creating and updating files goes ahead; the rest asks."),
	auto: () => t("What the role permits goes ahead; deleting, installers and network commands still ask."),
};

export function Footer() {
	const mode = surroundings.value?.approval;
	const use = contextUse.value;
	return (
		<div class="footer">
			{use && <Meter use={use} />}
			{use && <Cost use={use} />}
			<span class="spacer" />
			{mode !== undefined && (
				<Tip label={t("approval: {0}", mode)} face={t("approval: {0}", mode)} class="approval-mode" onClick={() => command("openSettings")}>
					<span>{MODES[mode]?.()}</span>
					<span class="tip-note">{t("A click opens the settings.")}</span>
				</Tip>
			)}
		</div>
	);
}
