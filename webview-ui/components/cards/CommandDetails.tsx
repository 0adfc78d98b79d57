// A command's details: the exact line, its latest output, its sandbox and its changes.

import type { CommandView } from "../../../src/core/eventData/toolView.ts";
import type { CallState } from "../../../src/core/transcript/state.ts";
import { t } from "../../../src/shared/l10n.ts";
import { asRecord } from "../../conversation/toolCallLabels.ts";
import { postSessionIntent } from "../../host.ts";
import { runningOutputs } from "../../state.ts";
import { visibleText } from "../../text/displayText.ts";
import { ExactText } from "../conversation/Text.tsx";
import { ChangeLines } from "./ChangeGroup.tsx";
import { ToolOutput } from "./ToolOutput.tsx";

export function CommandDetails({ entry, runs }: { entry: CallState; runs: boolean }) {
	const { call, result } = entry;
	const view = result?.view?.kind === "command" ? result.view : undefined;
	const live = result && !view?.background ? undefined : runningOutputs.value.get(call.id);
	const printed = live ?? result?.output ?? "";
	const line = view?.command ?? String(asRecord(call.input)["command"] ?? "");
	return (
		<>
			<ExactText text={line} label={t("Command")} />
			{view?.cwd && view.cwd !== "." && <div class="secondary-text">{t("in {0}", visibleText(view.cwd))}</div>}
			{view?.byPerson && <div class="secondary-text">{t("Run by you in your terminal")}</div>}
			{view?.sandbox && <KeptIn sandbox={view.sandbox} />}
			<ToolOutput text={printed} call={call.id} label={t("Output")} end />
			{view && view.changed.length > 0 && (
				<div class="changed">
					<div class="secondary-text">{view.changed.length === 1 ? t("Changed 1 file") : t("Changed {0} files", view.changed.length)}</div>
					<ChangeLines changes={view.changed} call={call.id} />
				</div>
			)}
			{(view ? !view.byPerson : runs) && (
				<button type="button" class="link more" onClick={() => postSessionIntent("showTerminal", { call: call.id })}>
					{t("Show Terminal")}
				</button>
			)}
		</>
	);
}

function KeptIn({ sandbox }: { sandbox: NonNullable<CommandView["sandbox"]> }) {
	const { hindered, touched } = sandbox;
	return (
		<>
			<div class="secondary-text">{hindered ? t("Ran in the sandbox, which may have caused the failure") : t("Ran in the sandbox")}</div>
			{touched && (
				<div class="secondary-text">{t("Changed protected files: {0}", touched.map((path) => visibleText(path)).join(", "))}</div>
			)}
		</>
	);
}
