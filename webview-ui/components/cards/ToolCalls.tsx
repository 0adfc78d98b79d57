// Tool calls, one line each; a long run is folded into one line with a count.

import type { VNode } from "preact";
import type { CallState } from "../../../src/core/transcript/state.ts";
import { t } from "../../../src/shared/l10n.ts";
import { SentImages } from "../../composer/SentAttachments.tsx";
import { changeOutcomeStamp, isToolCallRunning, type ThinkingBlock, type ToolCallsItem, toolCallStatus } from "../../conversation/items.ts";
import {
	asRecord,
	summarizeToolCalls,
	type ToolCallLabel,
	type ToolCallStatus,
	toolCallLabel,
	toolCallName,
} from "../../conversation/toolCallLabels.ts";
import { postSessionIntent } from "../../host.ts";
import { labels, runningOutputs, transcript } from "../../state.ts";
import { visibleText } from "../../text/displayText.ts";
import { splitByPaths } from "../../text/fileLinks.ts";
import { Group } from "../conversation/Group.tsx";
import { Thinking } from "../conversation/Message.tsx";
import { InlineCode } from "../conversation/Text.tsx";
import { Icon, Spinner } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";
import { ToolCallChangeDetails, ToolCallChanges } from "./ChangeGroup.tsx";
import { CommandDetails } from "./CommandDetails.tsx";
import { ToolOutput } from "./ToolOutput.tsx";
import { isUndeliveredReply, UndeliveredReply } from "./UndeliveredReply.tsx";

/** Maximum consecutive finished calls shown separately. */
const MAX_UNFOLDED = 5;

/** View kinds of calls that are never folded. */
const NEVER_FOLDED: ReadonlySet<string | undefined> = new Set(["command", "change"]);

/** A call and the thinking before it. */
interface Line {
	entry: CallState;
	status: ToolCallStatus;
	thoughts: ThinkingBlock[];
	/** Outcomes of its changes; a new value re-renders the line. */
	fates: string;
}

export function ToolCalls({ item }: { item: ToolCallsItem }) {
	const state = transcript.peek().folded;
	const lines = item.calls
		.map(
			(entry, at): Line => ({
				entry,
				status: toolCallStatus(entry, state),
				thoughts: item.thoughts.filter((thought) => thought.callIndex === at),
				fates: changeOutcomeStamp(entry, state),
			}),
		)
		.filter(({ status }) => status !== "asked");
	const foldable = lines.filter(
		({ entry: { result }, status }) => status === "ok" && !NEVER_FOLDED.has(result?.view?.kind) && !result?.images,
	);
	const folds = foldable.length > MAX_UNFOLDED;
	return (
		<div class="calls">
			{folds && <Fold key={item.key} id={item.key} lines={foldable} />}
			{lines.filter((candidate) => !folds || !foldable.includes(candidate)).flatMap(line)}
			{item.thoughts.filter(({ callIndex: at }) => at === item.calls.length).map(thought)}
		</div>
	);
}

function line({ entry, status, thoughts, fates }: Line): VNode[] {
	const { id } = entry.call;
	const shown = isUndeliveredReply(entry, status) ? (
		<UndeliveredReply key={id} entry={entry} />
	) : (
		<Call key={id} entry={entry} status={status} fates={fates} />
	);
	return [...thoughts.map(thought), shown];
}

function thought({ id, text }: ThinkingBlock): VNode {
	return <Thinking key={`thought:${id}`} id={id} text={text} />;
}

function Fold({ id, lines }: { id: string; lines: Line[] }) {
	const [open, toggle] = useExpanded(`fold:${id}`, false);
	const name = summarizeToolCalls(lines.map(({ entry }) => entry.call));
	return (
		<Group name={name} class="call">
			<button type="button" class="line" aria-expanded={open} onClick={toggle}>
				<Icon name={open ? "chevron-down" : "chevron-right"} />
				<Icon name="layers" />
				<span class="told whole">
					<span class="about">{name}</span>
				</span>
			</button>
			{open && <div class="nested">{lines.flatMap(line)}</div>}
		</Group>
	);
}

export const STATUS_ICONS: Partial<Record<ToolCallStatus, string>> = {
	error: "error",
	denied: "circle-slash",
	cancelled: "debug-stop",
	unknown: "question",
	waiting: "clockface",
	noTool: "question",
};

function Call({ entry, status: storedStatus }: Pick<Line, "entry" | "status" | "fates">) {
	const { call, result } = entry;
	const status = result || !isToolCallRunning(entry, storedStatus, runningOutputs.value) ? storedStatus : "running";
	const view = result?.view;
	const isCommand = call.name === "execute_command";
	const [open, toggle] = useExpanded(`call:${call.id}`, (status === "running" && isCommand) || status === "denied");
	const failed = view?.kind === "command" && !view.background && (view.exitCode !== 0 || view.signal !== undefined);
	const changes = view?.kind === "change" ? view.changes : [];
	const { icon, parts } = toolCallLabel(call, status);
	const body = () => {
		if (changes.length > 0) return <ToolCallChanges changes={changes} call={call.id} />;
		return isCommand && view?.kind !== "denied" ? <CommandDetails entry={entry} runs={status === "running"} /> : <Body entry={entry} />;
	};
	return (
		<Group name={visibleText(toolCallName(call, status))} class={`call ${failed ? "error" : status}`}>
			<button type="button" class="line" aria-expanded={open} onClick={toggle}>
				<Icon name={open ? "chevron-down" : "chevron-right"} />
				{status === "running" ? <Spinner /> : <Icon name={(failed && STATUS_ICONS.error) || STATUS_ICONS[status] || icon} />}
				{/* That a file is in memory is the end of its line. */}
				<span class={call.name.startsWith("memory_") ? "told whole" : "told"}>
					<ToolCallParts parts={parts} />
				</span>
				{changes.length > 0 ? <ToolCallChangeDetails changes={changes} call={call.id} /> : <Figure entry={entry} />}
			</button>
			{result?.images && <SentImages pictures={result.images} />}
			{open && <div class={changes.length > 0 ? "body-of-change" : "body"}>{body()}</div>}
		</Group>
	);
}

export function ToolCallParts({ parts }: Pick<ToolCallLabel, "parts">) {
	return (
		<>
			{parts.map(({ text, isSubject }, index) => (
				<span key={index} class={isSubject ? "about" : "verb"}>
					{isSubject ? visibleText(text) : text}
				</span>
			))}
		</>
	);
}

/** Counts shrink in favor of the call's subject; an exit code does not. */
function Figure({ entry }: { entry: CallState }) {
	const figure = figureOf(entry);
	const counts = entry.result?.view?.kind === "text";
	return (
		<span class={counts ? "figure found" : "figure"} title={counts ? figure : undefined}>
			{figure}
		</span>
	);
}

function figureOf({ result }: CallState): string {
	const view = result?.view;
	if (view?.figure) return visibleText(view.figure);
	if (view?.kind !== "command") return "";
	if (view.background) return t("in the background");
	return view.signal ? t("killed by {0}", view.signal) : t("exit code {0}", view.exitCode ?? "?");
}

function Body({ entry }: { entry: CallState }) {
	const { call, result } = entry;
	const printed = runningOutputs.value.get(call.id);
	const view = result?.view;
	return (
		<>
			{view?.kind === "denied" && <Denied text={result?.output ?? ""} offer={view.offerRole} />}
			<ToolInput input={call.input} />
			{view?.kind === "file" && (
				<button
					type="button"
					class="link more"
					onClick={() => postSessionIntent("openFile", { path: view.path, ...(view.line ? { line: view.line } : {}) })}
				>
					{t("Open {0}", visibleText(view.path))}
				</button>
			)}
			{result && view?.kind !== "denied" && <ToolOutput text={result.output} call={call.id} label={t("Output")} />}
			{!result && printed && <ToolOutput text={printed} call={call.id} label={t("Output so far")} end />}
		</>
	);
}

function Denied({ text, offer }: { text: string; offer: string | undefined }) {
	return (
		<div class="denied-box">
			<div>{visibleText(text)}</div>
			{offer && (
				<button type="button" class="secondary" onClick={() => postSessionIntent("role", { role: offer })}>
					{t("Switch to {0}", labels.value.role(offer))}
				</button>
			)}
		</div>
	);
}

function Argument({ value }: { value: unknown }) {
	const text = visibleText(typeof value === "string" ? value : JSON.stringify(value));
	return typeof splitByPaths(text, true)[0] === "object" ? <InlineCode text={text} /> : <span>{text}</span>;
}

/** The model's arguments. */
export function ToolInput({ input, without = [] }: { input: unknown; without?: readonly string[] }) {
	const entries = typeof input === "string" ? [["input", input] as const] : Object.entries(asRecord(input));
	const shown = entries.filter(([name, value]) => !without.includes(name) && value !== undefined && value !== "");
	if (shown.length === 0) return null;
	return (
		<dl class="input">
			{shown.map(([name, value]) => (
				<div key={name}>
					<dt>{visibleText(name)}</dt>
					<dd>
						<Argument value={value} />
					</dd>
				</div>
			))}
		</dl>
	);
}
