// The changes in a background task's copy: a line, their list, and buttons to review or discard them.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import type { TaskCopy } from "../../../src/shared/protocol/taskChanges.ts";
import { focusAwaitedPanel, revealElement, taskChangesKey } from "../../focus/focus.ts";
import { postSessionIntent } from "../../host.ts";
import { chatStatus, sessionId, taskChangeLists, taskCopies } from "../../state.ts";
import { visibleLine } from "../../text/displayText.ts";
import { CardAction } from "../cards/AgentCallCard.tsx";
import { LineCounts } from "../cards/ChangeGroup.tsx";
import { Icon, Spinner } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";
import { TaskChangeList } from "./TaskChangeList.tsx";

interface Props {
	copy: TaskCopy;
	/** Name of the task. */
	name: string;
	/** Something else comes before the review. */
	unfinished?: boolean;
	/** The list is open. */
	open: boolean;
	toggle(): void;
}

/** Returns the state of the list of a task's changes, open or not, and a toggle. */
export function useTaskReview(task: string): Pick<Props, "open" | "toggle"> {
	const [open, toggle] = useExpanded(taskChangesKey(task), false);
	return { open, toggle };
}

/** Shows how much has changed. */
export function TaskChanges({ copy }: Pick<Props, "copy">) {
	const { state, files, taking, left = [t("No files changed")], problem = "" } = copy;
	if (state === "gone")
		return (
			<Line icon="trash" text={t("Nothing is left to take. The task's copy of the workspace was deleted, so the task can't go on.")} />
		);
	if (state === "unreadable") return <Line icon="warning" text={visibleLine(problem)} warns />;
	if (files === 0)
		return (
			<>
				{left.map((text) => (
					<Line key={text} icon="diff-multiple" text={visibleLine(text)} />
				))}
			</>
		);
	if (taking)
		return (
			<div class="task-changes">
				<Spinner /> <span>{t("Taking changes…")}</span>
			</div>
		);
	return (
		<div class="task-changes">
			<Icon name="diff-multiple" />
			<span>{files === 1 ? t("1 file changed") : t("{0} files changed", files)}</span>
			<LineCounts change={copy} />
		</div>
	);
}

/** The list once it is opened. It is below the button that opens it, which stays where it was for a second click. */
export function OpenTaskChanges({ copy: { task, state, files }, name, open }: Omit<Props, "toggle">) {
	const list = taskChangeLists.value.get(task);
	const isListed = open && state === "present" && files > 0;
	const place = useRef<HTMLDivElement>(null);
	// Before the first paint: what says "Reading changes…" has been requested.
	useLayoutEffect(() => {
		if (isListed && !list) postSessionIntent("listTaskChanges", { task, on: true });
	}, [isListed, list === undefined, task]);
	useLayoutEffect(() => {
		if (!isListed || awaited !== task || !place.current) return;
		if (list) awaited = undefined;
		revealElement(place.current, "nearest");
	}, [isListed, list === undefined, task]);
	if (!isListed) return null;
	return (
		<div ref={place} class="open-task-changes">
			{list ? (
				<TaskChangeList list={list} name={name} />
			) : (
				<div class="task-changes secondary-text">
					<Spinner /> <span>{t("Reading changes…")}</span>
				</div>
			)}
		</div>
	);
}

/** The task whose list the user has just opened: its beginning is to be in view, whatever is below. */
let awaited: string | undefined;

function Line({ icon, text, warns = false }: { icon: string; text: string; warns?: boolean }) {
	return (
		<div class={`task-changes secondary-text ${warns ? "warns" : ""}`}>
			<Icon name={icon} />
			<span>{text}</span>
		</div>
	);
}

export function TaskChangeButtons({ copy: { task, state, files }, name, unfinished = false, open, toggle }: Props) {
	const review = () => {
		if (open) postSessionIntent("listTaskChanges", { task, on: false });
		awaited = open ? undefined : task;
		toggle();
	};
	const discard = () => postSessionIntent("discardTaskChanges", { task });
	if (state === "gone") return null;
	if (state === "unreadable" || files === 0)
		return <CardAction label={t("Delete Copy…")} name={t("Delete Copy of {0}…", name)} act={discard} />;
	const full = open ? t("Hide Changes of {0}", name) : t("Review Changes of {0}", name);
	return (
		<>
			<button
				type="button"
				class={open || unfinished ? "secondary" : "primary"}
				aria-expanded={open}
				aria-label={full}
				title={full}
				onClick={review}
			>
				{open ? t("Hide Changes") : t("Review Changes")}
			</button>
			<CardAction label={open ? t("Discard All…") : t("Discard…")} name={t("Discard Changes of {0}…", name)} act={discard} />
		</>
	);
}

/** Shows a task's own changes in its chat, above the composer. */
export function OwnTaskChanges() {
	const task = sessionId.value ?? "";
	const copy = taskCopies.value.get(task);
	const review = useTaskReview(task);
	useEffect(focusAwaitedPanel, [copy === undefined]);
	if (!copy) return null;
	const name = visibleLine(chatStatus.value?.session?.name ?? t("this task"));
	return (
		<section class="banner task-panel" aria-label={t("Changes of {0}", name)}>
			<TaskChanges copy={copy} />
			<div class="buttons">
				<TaskChangeButtons copy={copy} name={name} {...review} />
			</div>
			<OpenTaskChanges copy={copy} name={name} open={review.open} />
		</section>
	);
}
