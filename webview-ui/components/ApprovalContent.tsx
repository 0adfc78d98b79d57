// What an approval is about: the exact arguments of the call and the change that it would make.
import type { ToolView } from "../../src/core/events.ts";
import { t } from "../../src/l10n.ts";
import { asRecord } from "../tools.ts";
import { visibleText } from "../visible.ts";
import { Input } from "./Calls.tsx";
import { Counts } from "./Change.tsx";
import { Diff } from "./Diff.tsx";
import { Exact } from "./Text.tsx";

/** Arguments that the lines above or the diff below show already. */
const TOLD = ["command", "path", "from", "to", "url"];
const IN_DIFF = ["old", "new", "content", "patch"];

export function ApprovalContent({ view, input: raw }: { view: ToolView | undefined; input: unknown }) {
	const input = asRecord(raw);
	const changes = view?.kind === "change" ? view.changes : [];
	const previewed = new Set(changes.flatMap(({ path, from }) => [path, from]));
	// A tool from outside may mean something else by such a name: what is no text is listed with the rest.
	const told = TOLD.filter((name) => typeof input[name] === "string");
	const exact = told.map((name) => String(input[name])).filter((text) => !previewed.has(text));
	return (
		<>
			{exact.length > 0 && <Exact text={exact.join("\n→ ")} label={t("Exactly")} />}
			<Input input={typeof raw === "string" ? raw : input} without={changes.length ? [...told, ...IN_DIFF] : told} />
			{changes.map((change) => (
				<div key={change.path} class="preview">
					<div class="preview-head">
						<code>
							{change.from && `${visibleText(change.from)} → `}
							{visibleText(change.path)}
						</code>
						<Counts change={change} />
					</div>
					<Diff diff={change.diff} label={t("Changes in {0}", visibleText(change.path))} />
				</div>
			))}
		</>
	);
}
