// Renders file changes: a turn's first as a card, further files as lines, with hunks and Undo.

import type { ComponentChildren } from "preact";
import type { FileChange } from "../../../src/core/events.ts";
import { type ChangeStatus, findChangeStatus } from "../../../src/core/transcript/changes.ts";
import type { ChangeOutcome } from "../../../src/core/transcript/state.ts";
import { formatNumber, t } from "../../../src/shared/l10n.ts";
import type { ChangeItem } from "../../conversation/items.ts";
import { toolCallName } from "../../conversation/toolCallLabels.ts";
import { postSessionIntent } from "../../host.ts";
import { transcript } from "../../state.ts";
import { visibleLine } from "../../text/displayText.ts";
import { fileTitle, memoryName } from "../../text/memoryName.ts";
import { Group } from "../conversation/Group.tsx";
import { Icon } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";
import { ChangeDiff, FileTags } from "./Diff.tsx";
import { SafeText } from "./FoldedLines.tsx";

export function ChangeGroup({ item }: { item: ChangeItem }) {
	const { call } = item.entry;
	const [first, ...more] = item.view.changes;
	return (
		<Group name={toolCallName(call, "ok")} class="change-group">
			{first && <ChangeCard change={first} call={call.id} standing={statusOf(call.id, first)} />}
			<ChangeLines changes={more} call={call.id} />
		</Group>
	);
}

const ICONS: Record<FileChange["action"], string> = {
	update: "diff-modified",
	create: "diff-added",
	delete: "diff-removed",
	rename: "diff-renamed",
};

function iconOf({ path, action }: FileChange): string {
	return memoryName(path) === undefined ? ICONS[action] : "notebook";
}

const DONE: Record<FileChange["action"], string> = {
	update: t("Edited"),
	create: t("Created"),
	delete: t("Deleted"),
	rename: t("Renamed"),
};
const OUTCOMES: Record<ChangeOutcome, () => string> = { undone: () => t("Undone"), kept: () => t("Kept") };

interface Settled {
	change: FileChange;
	call: string;
	standing: ChangeStatus;
}

function ChangeCard({ change, call, standing }: Settled) {
	const [open, toggle] = useExpanded(openKey(call, change, standing), standing.fate === undefined);
	return (
		<div class={`card change ${standing.fate ?? ""}`}>
			<button type="button" class="card-head" aria-expanded={open} onClick={toggle} title={DONE[change.action]}>
				<Icon name={iconOf(change)} />
				<span class="card-title">
					<Moved change={change} />
				</span>
				<Facts change={change} standing={standing} />
			</button>
			{open && <ChangeBody change={change} call={call} standing={standing} />}
		</div>
	);
}

/** Files of one call, one line each. */
export function ChangeLines({ changes, call }: { changes: readonly FileChange[]; call: string }) {
	if (changes.length === 0) return null;
	return (
		<div class="change-lines">
			{changes.map((change) => (
				<ChangeLine key={change.path} change={change} call={call} standing={statusOf(call, change)} />
			))}
		</div>
	);
}

function ChangeLine({ change, call, standing }: Settled) {
	const [open, toggle] = useExpanded(openKey(call, change, standing), false);
	return (
		<div class={`change-line ${standing.fate ?? ""}`}>
			<button type="button" class="line" aria-expanded={open} onClick={toggle} title={DONE[change.action]}>
				<Icon name={open ? "chevron-down" : "chevron-right"} />
				<Icon name={iconOf(change)} />
				<span class="told path">
					<Moved change={change} />
				</span>
				<Facts change={change} standing={standing} />
			</button>
			{open && (
				<Framed>
					<ChangeBody change={change} call={call} standing={standing} />
				</Framed>
			)}
		</div>
	);
}

/** Expanded content of a call's line: the single file's hunks, or a line per file. */
export function ToolCallChanges({ changes, call }: { changes: readonly FileChange[]; call: string }) {
	const [only, ...more] = changes;
	if (!only || more.length > 0) return <ChangeLines changes={changes} call={call} />;
	return (
		<Framed>
			<ChangeBody change={only} call={call} standing={statusOf(call, only)} />
		</Framed>
	);
}

function Framed({ children }: { children: ComponentChildren }) {
	return <div class="card change framed">{children}</div>;
}

function ChangeBody({ change, call, standing: { fate, again } }: Settled) {
	const { path } = change;
	return (
		<>
			<ChangeDiff change={change} />
			{change.deviation && (
				<div class="deviation">
					<Icon name="warning" /> {t("Outside the plan: {0}", visibleLine(change.deviation))}
				</div>
			)}
			<div class="buttons">
				<button type="button" class="secondary" onClick={() => postSessionIntent("openDiff", { call, path })}>
					{t("Open Changes")}
				</button>
				{fate === undefined && (
					<button type="button" class="secondary" onClick={() => postSessionIntent("undo", { call, path })}>
						{t("Undo")}
					</button>
				)}
				{again && (
					<button type="button" class="secondary" onClick={() => postSessionIntent("redo", { call, path })}>
						{t("Redo")}
					</button>
				)}
			</div>
		</>
	);
}

function Moved({ change: { from, path } }: { change: FileChange }) {
	return (
		<>
			{from !== undefined && (
				<>
					<SafeText text={from} /> →{" "}
				</>
			)}
			<SafeText text={fileTitle(path)} />
		</>
	);
}

/** Shows the outcome instead of the size for an undone change. */
function Facts({ change, standing: { fate } }: { change: FileChange; standing: ChangeStatus }) {
	return (
		<>
			<FileTags change={change} />
			{fate !== "undone" && <LineCounts change={change} />}
			{fate && <span class={`figure fate ${fate}`}>{OUTCOMES[fate]()}</span>}
		</>
	);
}

/** Outcome and size of a call's changes. */
export function ToolCallChangeDetails({ changes, call }: { changes: readonly FileChange[]; call: string }) {
	const [only, ...more] = changes;
	if (only && more.length === 0) return <Facts change={only} standing={statusOf(call, only)} />;
	const sum = (of: "added" | "removed") => changes.reduce((total, change) => total + change[of], 0);
	const outcomes = changes.map((change) => statusOf(call, change).fate);
	const fate = outcomes.every((outcome) => outcome === outcomes[0]) ? outcomes[0] : undefined;
	return <Facts change={{ ...(only as FileChange), added: sum("added"), removed: sum("removed") }} standing={{ fate, again: false }} />;
}

function statusOf(call: string, { path }: FileChange): ChangeStatus {
	return findChangeStatus(transcript.peek().folded.fates, call, path);
}

/** The key includes the outcome, so an expanded change collapses when it is undone. */
function openKey(call: string, { path }: FileChange, { fate }: ChangeStatus): string {
	return ["change", call, path, ...(fate ? [fate] : [])].join(":");
}

export function LineCounts({ change }: { change: { added: number; removed: number; deviation?: string } }) {
	return (
		<span class="figure counts">
			{change.deviation && <Icon name="warning" class="amber" />}
			{change.added + change.removed > 0 && (
				<>
					<span class="added">+{formatNumber(change.added)}</span> <span class="removed">−{formatNumber(change.removed)}</span>
				</>
			)}
		</span>
	);
}
