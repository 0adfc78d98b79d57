// A change to files: what changed, its hunks, and the way back.

import type { FileChange } from "../../src/core/events.ts";
import { t } from "../../src/l10n.ts";
import { act } from "../host.ts";
import type { ChangeItem } from "../items.ts";
import { nameOf } from "../tools.ts";
import { visibleLine } from "../visible.ts";
import { ChangeDiff, FileTags } from "./Diff.tsx";
import { Group } from "./Group.tsx";
import { useOpen } from "./hooks.ts";
import { Icon } from "./Icon.tsx";
import { Shown } from "./Lines.tsx";

export function Change({ item }: { item: ChangeItem }) {
	const { call } = item.entry;
	return (
		<Group name={nameOf(call, "ok")} class="change-group">
			{item.view.changes.map((change) => (
				<ChangedFile key={change.path} change={change} call={call.id} />
			))}
		</Group>
	);
}

const ICONS: Record<FileChange["action"], string> = {
	update: "diff-modified",
	create: "diff-added",
	delete: "diff-removed",
	rename: "diff-renamed",
};
const DONE: Record<FileChange["action"], string> = {
	update: t("Edited"),
	create: t("Created"),
	delete: t("Deleted"),
	rename: t("Renamed"),
};

/** One file of a change, as a card that folds to its title. */
export function ChangedFile({ change, call, folded }: { change: FileChange; call: string; folded?: boolean }) {
	const [open, toggle] = useOpen(`change:${call}:${change.path}`, !folded);
	return (
		<div class="card change">
			<button type="button" class="card-head" aria-expanded={open} onClick={toggle} title={DONE[change.action]}>
				<Icon name={ICONS[change.action]} />
				<span class="card-title">
					{change.from !== undefined && (
						<>
							<Shown text={change.from} /> →{" "}
						</>
					)}
					<Shown text={change.path} />
				</span>
				<FileTags change={change} />
				<Counts change={change} />
			</button>
			{open && <ChangeDiff change={change} />}
			{open && change.deviation && (
				<div class="deviation">
					<Icon name="warning" /> {t("Not in the plan: {0}", visibleLine(change.deviation))}
				</div>
			)}
			{open && (
				<div class="buttons">
					<button type="button" class="secondary" onClick={() => act("openDiff", { call, path: change.path })}>
						{t("Open diff")}
					</button>
					<button type="button" class="secondary" onClick={() => act("undo", { call, path: change.path })}>
						{t("Undo")}
					</button>
				</div>
			)}
		</div>
	);
}

export function Counts({ change }: { change: { added: number; removed: number; deviation?: string } }) {
	return (
		<span class="figure counts">
			{change.deviation && <Icon name="warning" class="amber" />}
			{change.added + change.removed > 0 && (
				<>
					<span class="added">+{change.added}</span> <span class="removed">−{change.removed}</span>
				</>
			)}
		</span>
	);
}
