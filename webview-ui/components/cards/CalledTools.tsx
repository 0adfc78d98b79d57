// The tool calls of a called agent, folded into one line.

import { t } from "../../../src/shared/l10n.ts";
import type { CalledTool } from "../../../src/shared/protocol/calls.ts";
import { summarizeProgress, summarizeToolCalls, type ToolCallStatus, toolCallLabel } from "../../conversation/toolCallLabels.ts";
import { formatDuration } from "../../text/amounts.ts";
import { visibleText } from "../../text/displayText.ts";
import { Icon, Spinner } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";
import { STATUS_ICONS, ToolCallParts } from "./ToolCalls.tsx";

interface Props {
	/** Id of the call that they belong to. */
	id: string;
	tools: readonly CalledTool[];
	/** Number of calls before them. */
	earlier: number;
	/** Status of calls without a result: `waiting` for the user, or `unknown` if they were interrupted. */
	open: "running" | "waiting" | "unknown";
}

export function CalledTools({ id, tools: called, earlier, open: unsettled }: Props) {
	const [open, toggle] = useExpanded(`called:${id}`, false);
	if (called.length === 0) return null;
	const tools = called.map((tool) => ({ ...tool, status: tool.status ?? unsettled }));
	const isRunning = tools.some(({ status }) => status === "running");
	return (
		<div>
			<button type="button" class="line" aria-expanded={open} onClick={toggle}>
				<Icon name={open ? "chevron-down" : "chevron-right"} />
				{isRunning ? <Spinner /> : <Icon name="layers" />}
				<span class={open ? "told whole" : "told"}>
					<span class="about">{visibleText(summarizeProgress(tools))}</span>
				</span>
				<span class="figure">{tools.length + earlier}</span>
			</button>
			{open && (
				<ul class="nested called-tools">
					{earlier > 0 && <li class="secondary-text">{t("{0} earlier tool calls", earlier)}</li>}
					{tools.map((tool) => (
						<Row key={tool.call.id} tool={tool} />
					))}
				</ul>
			)}
		</div>
	);
}

function Row({ tool: { call, status, durationMs } }: { tool: Omit<CalledTool, "status"> & { status: ToolCallStatus } }) {
	const { icon, parts } = toolCallLabel(call, status);
	return (
		<li class={`line ${status}`}>
			{status === "running" ? <Spinner /> : <Icon name={STATUS_ICONS[status] ?? icon} />}
			<span class="told">
				{/* Without its input, a call is named by what it does. */}
				{call.input === undefined ? <span class="verb">{visibleText(summarizeToolCalls([call]))}</span> : <ToolCallParts parts={parts} />}
			</span>
			{status !== "running" && durationMs !== undefined && <span class="figure">{formatDuration(durationMs)}</span>}
		</li>
	);
}
