// Renders the content of an approval: the exact arguments of the call and its change.
import { useState } from "preact/hooks";
import type { ToolView } from "../../../src/core/eventData/toolView.ts";
import type { FileChange } from "../../../src/core/events.ts";
import { formatNumber, t } from "../../../src/shared/l10n.ts";
import { segmentAddress } from "../../../src/shared/safeText.ts";
import { asRecord } from "../../conversation/toolCallLabels.ts";
import { ExactLines, ExactText } from "../conversation/Text.tsx";
import { LineCounts } from "./ChangeGroup.tsx";
import { ChangeDiff, FileTags } from "./Diff.tsx";
import { FoldedLines, SafeText, Segments } from "./FoldedLines.tsx";

interface Parts {
	/** Name of the main argument. */
	subject?: string;
	/** Arguments that the change already shows. */
	shown?: readonly string[];
}

/** Parts of our own tools. For any other tool, every argument is shown under its name. */
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
	const remaining = Object.entries(input).filter(
		([name]) => !(name === subject && typeof about === "string") && !(whole && shown.includes(name)),
	);
	return (
		<>
			{typeof about === "string" &&
				(tool === "web_fetch" ? <Address address={about} /> : <ExactText text={about} label={t("Exact content")} />)}
			{remaining.length > MAX_ARGUMENTS && (
				<ExactText text={JSON.stringify(Object.fromEntries(remaining), null, 1)} label={t("Arguments")} />
			)}
			{remaining.length > 0 && remaining.length <= MAX_ARGUMENTS && (
				<dl class="arguments">
					{remaining.map(([name, value]) => (
						<div key={name}>
							<dt>
								<SafeText text={name} />
							</dt>
							<dd>
								<ExactLines text={formatArgument(value)} />
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

/** Maximum arguments listed separately, and maximum files shown before the middle is folded. */
const MAX_ARGUMENTS = 30;
const MAX_FILES = 24;

function Previews({ changes }: { changes: readonly FileChange[] }) {
	const [whole, setWhole] = useState(false);
	const folds = !whole && changes.length > MAX_FILES;
	const half = MAX_FILES / 2;
	const preview = (change: FileChange) => <Preview key={change.path} change={change} />;
	if (!folds) return <>{changes.map(preview)}</>;
	return (
		<>
			{changes.slice(0, half).map(preview)}
			<button type="button" class="link more" onClick={() => setWhole(true)}>
				{t("Show {0} More Files", formatNumber(changes.length - MAX_FILES))}
			</button>
			{changes.slice(-half).map(preview)}
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

/** Strings as is; quoted if they could be read as another JSON type. */
function formatArgument(value: unknown): string {
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
