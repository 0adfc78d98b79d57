// Renders the diff of a file with signs and line numbers, or the reason it cannot be shown.
import { useMemo } from "preact/hooks";
import type { FileChange } from "../../../src/core/events.ts";
import { formatNumber, t } from "../../../src/shared/l10n.ts";
import { type DiffKind, type DiffLine, emptyChangeLabel, parseDiffLines } from "../../text/diffLines.ts";
import { visibleLine } from "../../text/displayText.ts";
import { Group } from "../conversation/Group.tsx";
import { Icon } from "../Icon.tsx";
import { FoldedLines, Segments } from "./FoldedLines.tsx";

const LIMIT = { lines: 100, characters: 6_000 };

/** `highest`: see FoldedLines. */
export function Diff({ diff, label, highest }: { diff: string; label: string; highest?: number }) {
	const lines = useMemo(() => parseDiffLines(diff), [diff]);
	if (lines.length === 0) return null;
	return (
		<Group name={label} class="diff">
			<FoldedLines lines={lines} limit={LIMIT} draw={drawLine} {...(highest !== undefined && { highest })} />
		</Group>
	);
}

const SIGNS: Record<Exclude<DiffKind, "gap">, string> = { same: " ", added: "+", removed: "-" };

function drawLine({ kind, number, segments, continued }: DiffLine) {
	return (
		<span class={`line-of diff-line ${kind}`} data-line={kind === "gap" || continued ? "" : number}>
			{kind === "gap" ? "⋯" : `${continued ? "…" : SIGNS[kind]} `}
			<Segments of={segments} />
			{"\n"}
		</span>
	);
}

type Shown = Pick<FileChange, "path" | "action" | "diff" | "unshown">;

/** The diff of a change, or the reason there is none. `waits`: the change has not been made yet. */
export function ChangeDiff({ change, waits = false }: { change: Shown; waits?: boolean }) {
	const { path, diff, unshown } = change;
	if (unshown) {
		const size = formatNumber(unshown.size);
		return (
			<div class="unshown">
				<Icon name="warning" />
				<span>
					{unshown.why === "binary"
						? t("Binary content ({0} bytes) can't be shown.", size)
						: t("This change is too large to show ({0} bytes).", size)}
				</span>
			</div>
		);
	}
	const empty = emptyChangeLabel(change, waits);
	if (empty !== undefined) return <div class="unshown">{empty}</div>;
	return <Diff diff={diff} label={t("Changes in {0}", visibleLine(path))} />;
}

/** Line ends and encoding, which the diff does not show. */
export function FileTags({ change }: { change: Pick<FileChange, "lineEnds" | "encoding"> }) {
	const tags = [change.lineEnds, change.encoding].filter((tag) => tag !== undefined);
	return (
		<>
			{tags.map((tag) => (
				<span key={tag} class="tag">
					{tag}
				</span>
			))}
		</>
	);
}
