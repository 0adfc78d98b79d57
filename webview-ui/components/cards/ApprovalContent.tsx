// Renders the content of an approval: the exact arguments of the call and its change.
import { useState } from "preact/hooks";
import type { FileChange, ToolView } from "../../../src/core/events.ts";
import { formatNumber, t } from "../../../src/shared/l10n.ts";
import { segmentAddress } from "../../../src/shared/safeText.ts";
import { asRecord } from "../../conversation/toolCallLabels.ts";
import { ExactLines, ExactText } from "../conversation/Text.tsx";
import { LineCounts } from "./ChangeGroup.tsx";
import { ChangeDiff, FileTags } from "./Diff.tsx";
import { FoldedLines, SafeText, Segments } from "./FoldedLines.tsx";

interface Parts {
	/** The argument that the call is about. */
	subject?: string;
	/** Arguments that the change shows. */
	shown?: readonly string[];
}

/** Of our own tools. Of any other, every argument is shown under its name. */
const PARTS = new Map<string, Parts>([
	["execute_command", { subject: "command" }],
	["web_fetch", { subject: "url" }],
	["create_file", { shown: ["path", "content"] }],
	["update_file", { shown: ["path", "old", "new"] }],
	["delete_file", { shown: ["path"] }],
	["rename_file", { shown: ["from", "to"] }],
	["apply_patch", { shown: ["patch"] }],
]);

interface ContentProps {
	tool: string;
	input: unknown;
	view: ToolView | undefined;
}

export function ApprovalContent({ tool, input: raw, view }: ContentProps) {
	const input = asRecord(raw);
	const changes = view?.kind === "change" ? view.changes : [];
	const whole = changes.length > 0 && changes.every(({ unshown }) => !unshown);
	const { subject, shown = [] } = PARTS.get(tool) ?? {};
	const about = subject === undefined ? undefined : input[subject];
	const left = Object.entries(input).filter(
		([name]) => !(name === subject && typeof about === "string") && !(whole && shown.includes(name)),
	);
	return (
		<>
			{typeof about === "string" &&
				(tool === "web_fetch" ? <Address address={about} /> : <ExactText text={about} label={t("Exact content")} />)}
			{left.length > MOST_ARGUMENTS && <ExactText text={JSON.stringify(Object.fromEntries(left), null, 1)} label={t("Arguments")} />}
			{left.length > 0 && left.length <= MOST_ARGUMENTS && (
				<dl class="arguments">
					{left.map(([name, value]) => (
						<div key={name}>
							<dt>
								<SafeText text={name} />
							</dt>
							<dd>
								<ExactLines text={written(value)} />
							</dd>
						</div>
					))}
				</dl>
			)}
			{typeof raw === "string" && <ExactText text={raw} label={t("Exact content")} />}
			<Previews changes={changes} />
		</>
	);
}

/** More than these are one text, and more files fold in the middle. */
const MOST_ARGUMENTS = 30;
const MOST_FILES = 24;

function Previews({ changes }: { changes: readonly FileChange[] }) {
	const [whole, setWhole] = useState(false);
	const folds = !whole && changes.length > MOST_FILES;
	const half = MOST_FILES / 2;
	const drawn = (change: FileChange) => <Preview key={change.path} change={change} />;
	if (!folds) return <>{changes.map(drawn)}</>;
	return (
		<>
			{changes.slice(0, half).map(drawn)}
			<button type="button" class="link more" onClick={() => setWhole(true)}>
				{t("Show {0} More Files", formatNumber(changes.length - MOST_FILES))}
			</button>
			{changes.slice(-half).map(drawn)}
		</>
	);
}

function Preview({ change }: { change: FileChange }) {
	return (
		<div class="preview">
			<div class="preview-head">
				<code>
					{change.from !== undefined && (
						<>
							<SafeText text={change.from} /> →{" "}
						</>
					)}
					<SafeText text={change.path} />
				</code>
				<span class="preview-facts">
					<FileTags change={change} />
					<LineCounts change={change} />
				</span>
			</div>
			<ChangeDiff change={change} waits />
		</div>
	);
}

const LIMIT = { lines: 24, characters: 1_600 };

function Address({ address }: { address: string }) {
	return (
		<fieldset aria-label={t("Exact content")} class="group exact">
			<FoldedLines lines={[{ segments: segmentAddress(address) }]} limit={LIMIT} draw={({ segments }) => <Segments of={segments} />} />
		</fieldset>
	);
}

/** A text as it stands; in quotes where it would be taken for a value of another kind. */
function written(value: unknown): string {
	return typeof value === "string" && !isJson(value) ? value : (JSON.stringify(value) ?? String(value));
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return text === "";
	}
}
