// A tool's output as plain text, truncated at its beginning or end, the rest on request.

import { useLayoutEffect, useMemo } from "preact/hooks";
import { formatNumber, t } from "../../../src/shared/l10n.ts";
import type { DisplayEvent } from "../../../src/shared/protocol/chat.ts";
import { postSessionIntent } from "../../host.ts";
import { loadedOutputs, transcript } from "../../state.ts";
import { cleanTerminalOutput } from "../../text/displayText.ts";
import { Group, scrollable } from "../conversation/Group.tsx";
import { useExpanded } from "../useExpanded.ts";

const MAX_LINES = 200;
/** Marks where the middle of long output was omitted for the model. */
const OMISSION = /^\[\d+ bytes (?:omitted|left out) here/;

export function ToolOutput({ text, call, label, end }: { text: string; call: string; label: string; end?: boolean }) {
	const [whole, toggle] = useExpanded(`output:${call}`, false);
	const fullText = useLoaded(call) ?? text;
	const lines = useMemo(() => cleanTerminalOutput(fullText).replace(/\n+$/, "").split("\n"), [fullText]);
	if (lines.length === 1 && !lines[0]) return null;
	const limit = end ? MAX_LINES / 10 : MAX_LINES;
	const shown = whole || lines.length <= limit ? lines : end ? lines.slice(-limit) : lines.slice(0, limit);
	return (
		<>
			{shown.length < lines.length && (
				<button type="button" class="link more" onClick={toggle}>
					{lines.some((line) => OMISSION.test(line))
						? t("Show {0} Saved Lines", formatNumber(lines.length))
						: t("Show All {0} Lines", formatNumber(lines.length))}
				</button>
			)}
			<Group name={label} class="output" {...scrollable}>
				<pre>{shown.join("\n")}</pre>
			</Group>
			{lines.length > MAX_LINES && (
				<button type="button" class="link more" onClick={() => postSessionIntent("showOutput", { call })}>
					{t("Open in Editor")}
				</button>
			)}
		</>
	);
}

/** Requests the full output, if truncated in transit, when it is shown. */
function useLoaded(call: string): string | undefined {
	const loaded = loadedOutputs.value.get(call);
	const result: DisplayEvent | undefined = transcript.peek().folded.calls.get(call)?.result;
	const missing = loaded === undefined && result?.left !== undefined;
	useLayoutEffect(() => {
		if (missing) postSessionIntent("loadOutput", { call });
	}, [call, missing]);
	return loaded;
}
