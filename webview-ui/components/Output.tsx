// Output of a tool: plain text, its end or its beginning, the rest on demand.

import { useState } from "preact/hooks";
import { act } from "../host.ts";
import { cleanOutput } from "../visible.ts";
import { scrollable } from "./Group.tsx";

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
			<pre class="output" {...scrollable} aria-label={label}>
				{shown.join("\n")}
			</pre>
			{lines.length > SHOWN && (
				<button type="button" class="link more" onClick={() => act("showOutput", { call })}>
					Open in an editor
				</button>
			)}
		</>
	);
}
