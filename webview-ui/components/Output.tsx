// Output of a tool: plain text, its end or its beginning, the rest on demand.

import { useState } from "preact/hooks";
import { act } from "../host.ts";
import { cleanOutput } from "../visible.ts";
import { Group, scrollable } from "./Group.tsx";

const SHOWN = 200;

export function Output({ text, call, label, end }: { text: string; call: string; label: string; end?: boolean }) {
	const [whole, setWhole] = useState(false);
	const lines = cleanOutput(text).replace(/\n+$/, "").split("\n");
	if (lines.length === 1 && !lines[0]) return null;
	const limit = end ? SHOWN / 10 : SHOWN;
	const shown = whole || lines.length <= limit ? lines : end ? lines.slice(-limit) : lines.slice(0, limit);
	return (
		<>
			{shown.length < lines.length && (
				<button type="button" class="link more" onClick={() => setWhole(true)}>
					Show all {lines.length.toLocaleString("en")} lines
				</button>
			)}
			<Group name={label} class="output" {...scrollable}>
				<pre>{shown.join("\n")}</pre>
			</Group>
			{lines.length > SHOWN && (
				<button type="button" class="link more" onClick={() => act("showOutput", { call })}>
					Open in an editor
				</button>
			)}
		</>
	);
}
