// The line at the end of a turn that changed files: how much, and what to do about it.
import { hasChangedCopy } from "../../../src/core/task.ts";
import { t } from "../../../src/shared/l10n.ts";
import type { TurnChangesItem } from "../../conversation/items.ts";
import { postSessionIntent } from "../../host.ts";
import { chatStatus, isTurnRunning } from "../../state.ts";
import { visibleText } from "../../text/displayText.ts";
import { fileTitle, memoryName } from "../../text/memoryName.ts";
import { Group } from "../conversation/Group.tsx";
import { Icon } from "../Icon.tsx";
import { LineCounts } from "./ChangeGroup.tsx";

export function TurnChanges({ item }: { item: TurnChangesItem }) {
	const { turn, files, needsReview, outcome: fate } = item;
	// Changes in a task's copy are taken or discarded in the panel above the composer, unless that is gone.
	const { task } = chatStatus.value?.session ?? {};
	const open = needsReview && !(task && hasChangedCopy(task));
	const sum = (of: "added" | "removed") => files.reduce((total, file) => total + file[of], 0);
	const [only = ""] = files.length === 1 ? files.map(({ path }) => path) : [];
	const memory = memoryName(only);
	const isMemory = files.every(({ path }) => memoryName(path) !== undefined);
	const several = isMemory ? t("Changed {0} memory files", files.length) : t("Changed {0} files", files.length);
	const summary = files.length > 1 ? several : t("Changed {0}", visibleText(memory ?? only));
	const review = (how: "show" | "keep" | "undo") => () => postSessionIntent("review", { turn, how });
	return (
		<Group name={memory === undefined ? summary : t("Changed memory: {0}", visibleText(memory))} class="turn-changes">
			<Icon name={isMemory ? "notebook" : "diff-multiple"} />
			<span class={isMemory ? "told whole" : "told"} title={files.map(({ path }) => visibleText(fileTitle(path))).join("\n")}>
				{memory === undefined ? summary : visibleText(fileTitle(only))}
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
