// The list of a background task's changes by what can be done with them, each with its parts.
import { useMemo } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import type { TaskChangeList as List, ShownTaskChange, TaskChangeGroup } from "../../../src/shared/protocol/taskChanges.ts";
import { postSessionIntent, postTake } from "../../host.ts";
import { taskCopies } from "../../state.ts";
import { highestNumber, splitHunks } from "../../text/diffLines.ts";
import { visibleLine } from "../../text/displayText.ts";
import { LineCounts } from "../cards/ChangeGroup.tsx";
import { ChangeDiff, Diff, FileTags } from "../cards/Diff.tsx";
import { SafeText } from "../cards/FoldedLines.tsx";
import { useAnswerDelay } from "../cards/useAnswerDelay.ts";
import { Group } from "../conversation/Group.tsx";
import { Icon } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";

export function TaskChangeList({ list, name }: { list: List; name: string }) {
	const { task, changes, notes, shown } = list;
	const groups = GROUPS.map((group) => ({ ...group, changes: changes.filter((change) => change.group === group.id) }));
	const takeable = groups.find(({ id }) => id === "takeable")?.changes.length ?? 0;
	return (
		<Group name={t("Changes of {0}", name)} class="task-change-list">
			{groups.map(({ id, title, icon, changes: own }) => {
				if (own.length === 0) return null;
				return (
					<Group key={id} name={title()} class="task-change-group">
						{(id !== "takeable" || takeable < changes.length) && (
							<div class={`task-change-title ${id}`} aria-hidden="true">
								{icon && <Icon name={icon} />}
								<span>{title()}</span>
							</div>
						)}
						{own.map((change) => (
							<FileChange key={change.path} task={task} change={change} />
						))}
					</Group>
				);
			})}
			{notes.map((note) => (
				<div key={note} class="task-changes secondary-text">
					<Icon name="info" />
					<span>{visibleLine(note)}</span>
				</div>
			))}
			<div class="buttons">
				{takeable > 0 && (
					<TakeButton look="primary" name={t("Take All Changes of {0}", name)} label={t("Take All")} taken={{ task, shown }} />
				)}
				<button
					type="button"
					class="secondary"
					aria-label={t("Open All Changes of {0}", name)}
					onClick={() => postSessionIntent("openTaskChange", { task })}
				>
					{t("Open All Changes")}
				</button>
			</div>
		</Group>
	);
}

const GROUPS: readonly { id: TaskChangeGroup; title(): string; icon?: string }[] = [
	{ id: "takeable", title: () => t("Changes") },
	{ id: "conflict", title: () => t("Changed in your workspace meanwhile"), icon: "git-merge" },
	{ id: "apart", title: () => t("Protected, to be taken one by one"), icon: "shield" },
	{ id: "refused", title: () => t("Can't be taken"), icon: "circle-slash" },
];

const ICONS: Readonly<Record<ShownTaskChange["action"], string>> = {
	update: "diff-modified",
	create: "diff-added",
	delete: "diff-removed",
};
const ACTIONS: Readonly<Record<ShownTaskChange["action"], () => string>> = {
	update: () => t("Edited"),
	create: () => t("Created"),
	delete: () => t("Deleted"),
};

interface FileProps {
	task: string;
	change: ShownTaskChange;
}

function FileChange({ task, change }: FileProps) {
	const { path, action, group } = change;
	const [open, toggle] = useExpanded(`taskChange:${task}:${path}`, false);
	const [folder, file] = splitPath(path);
	const name = t("{0}: {1}", ACTIONS[action](), visibleLine(path));
	return (
		<div class="change-line task-change">
			<div class="task-change-row">
				<button type="button" class="line" aria-expanded={open} onClick={toggle} title={name} aria-label={name}>
					<Icon name={open ? "chevron-down" : "chevron-right"} />
					<Icon name={ICONS[action]} />
					<span class="told path">
						<SafeText text={file} />
						{folder !== "" && (
							<span class="folder">
								<SafeText text={folder} />
							</span>
						)}
					</span>
					<FileTags change={change} />
					<LineCounts change={change} />
				</button>
				{group === "conflict" ? (
					<Merge task={task} path={path} />
				) : (
					group !== "refused" && (
						<TakeButton name={t("Take {0}", visibleLine(path))} label={t("Take")} taken={{ task, shown: change.shown, path }} />
					)
				)}
			</div>
			{open && <FileBody task={task} change={change} />}
		</div>
	);
}

function FileBody({ task, change }: FileProps) {
	const { path, group, reason } = change;
	const { hunks, highest } = useMemo(() => ({ hunks: splitHunks(change.diff), highest: highestNumber(change.diff) }), [change.diff]);
	const byHunk = (group === "takeable" || group === "apart") && change.action === "update" && hunks.length > 1;
	return (
		<div class="card change framed">
			{reason !== undefined && <p class="task-change-reason">{visibleLine(reason)}</p>}
			{byHunk
				? hunks.map((hunk, index) => <Hunk key={hunk} {...{ task, change, hunk, index, highest }} />)
				: group !== "refused" && <ChangeDiff change={change} waits />}
			{group !== "refused" && (
				<div class="buttons">
					<button
						type="button"
						class="secondary"
						aria-label={t("Open Changes of {0}", visibleLine(path))}
						onClick={() => postSessionIntent("openTaskChange", { task, path })}
					>
						{group === "conflict" ? t("Resolve in Merge Editor") : t("Open Changes")}
					</button>
					<button
						type="button"
						class="secondary"
						aria-label={
							group === "conflict" ? t("Mark {0} as Resolved…", visibleLine(path)) : t("Discard Change of {0}…", visibleLine(path))
						}
						onClick={() => postSessionIntent("discardTaskChanges", { task, change: { path, shown: change.shown } })}
					>
						{group === "conflict" ? t("Mark as Resolved…") : t("Discard…")}
					</button>
				</div>
			)}
		</div>
	);
}

function Hunk({ task, change: { path, shown }, hunk, index, highest }: FileProps & { hunk: string; index: number; highest: number }) {
	const number = index + 1;
	return (
		<div class="task-hunk">
			<Diff diff={hunk} highest={highest} label={t("Part {0} of {1}", number, visibleLine(path))} />
			<TakeButton
				name={t("Take Part {0} of {1}", number, visibleLine(path))}
				label={t("Take This Part")}
				taken={{ task, shown, path, hunks: [index] }}
			/>
		</div>
	);
}

interface TakeProps {
	look?: "primary" | "link";
	/** Accessible name. */
	name: string;
	label: string;
	taken: Parameters<typeof postTake>[1];
}

/** Does not accept the second click on what was under the pointer before. */
function TakeButton({ look = "link", name, label, taken }: TakeProps) {
	const { isReady, accepts } = useAnswerDelay();
	const isTaking = taskCopies.value.get(taken.task)?.taking === true;
	return (
		<button
			type="button"
			class={look}
			aria-label={name}
			aria-disabled={!isReady || isTaking}
			aria-busy={isTaking}
			onClick={(cause) => {
				if (!isTaking && accepts(cause)) postTake(cause, taken);
			}}
		>
			{label}
		</button>
	);
}

function Merge({ task, path }: { task: string; path: string }) {
	return (
		<button
			type="button"
			class="link"
			aria-label={t("Merge {0}", visibleLine(path))}
			onClick={() => postSessionIntent("openTaskChange", { task, path })}
		>
			{t("Merge")}
		</button>
	);
}

function splitPath(path: string): [folder: string, file: string] {
	const at = path.lastIndexOf("/");
	return [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
}
