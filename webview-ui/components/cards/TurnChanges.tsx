// The line at the end of a turn that changed files: how much, and what to do about it.
import { t } from "../../../src/shared/l10n.ts";
import type { TurnChangesItem } from "../../conversation/items.ts";
import { postSessionIntent } from "../../host.ts";
import { isTurnRunning } from "../../state.ts";
import { visibleText } from "../../text/displayText.ts";
import { Group } from "../conversation/Group.tsx";
import { Icon } from "../Icon.tsx";
import { LineCounts } from "./ChangeGroup.tsx";

export function TurnChanges({ item }: { item: TurnChangesItem }) {
	const { turn, files, needsReview: open, outcome: fate } = item;
	const sum = (of: "added" | "removed") => files.reduce((total, file) => total + file[of], 0);
	const summary = files.length === 1 ? t("Changed {0}", visibleText(files[0]?.path ?? "")) : t("Changed {0} files", files.length);
	const review = (how: "show" | "keep" | "undo") => () => postSessionIntent("review", { turn, how });
	return (
		<Group name={summary} class="turn-changes">
			<Icon name="diff-multiple" />
			<span class="told" title={files.map(({ path }) => visibleText(path)).join("\n")}>
				{summary}
			</span>
			{fate !== "undone" && <LineCounts change={{ added: sum("added"), removed: sum("removed") }} />}
			{fate && <span class="figure fate">{fate === "undone" ? t("Undone") : t("Kept")}</span>}
			{open && (
				<span class="turn-buttons">
					<button type="button" class="link" onClick={review("show")}>
						{t("Review")}
					</button>
					<button type="button" class="link" onClick={review("keep")}>
						{t("Keep")}
					</button>
					<button type="button" class="link" disabled={isTurnRunning.value} onClick={review("undo")}>
						{t("Undo")}
					</button>
				</span>
			)}
		</Group>
	);
}
