// Renders the completion list for @ mentions and slash commands.

// The message box keeps the focus; arrow keys move the selection, Enter and Tab accept.
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../src/shared/l10n.ts";
import { Icon } from "../components/Icon.tsx";
import { cleanText } from "../text/displayText.ts";
import { activeIndex, activeTrigger, type CompletionItem, completionItems } from "./completion.ts";

export const COMPLETION_LIST_ID = "composer-list";

export function optionId(index: number): string {
	return `${COMPLETION_LIST_ID}-${index}`;
}

export function CompletionPopup({ choose }: { choose: (choice: CompletionItem) => void }) {
	const list = useRef<HTMLDivElement>(null);
	const all = completionItems.value;
	useEffect(() => {
		list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [activeIndex.value, all]);
	const kind = activeTrigger.value?.kind;
	if (!kind || all.length === 0) return null;
	const groups = [...new Set(all.map(({ group }) => group))];
	return (
		<div
			ref={list}
			id={COMPLETION_LIST_ID}
			role="listbox"
			aria-label={kind === "slash" ? t("Commands") : t("Context")}
			class={`popup ${kind}`}
		>
			{groups.map((group) => (
				<fieldset key={group} class="group" aria-label={group}>
					{groups.length > 1 && (
						<div class="popup-group" aria-hidden="true">
							{group}
						</div>
					)}
					{all.map(
						(choice, index) => choice.group === group && <Option key={choice.insert} choice={choice} index={index} choose={choose} />,
					)}
				</fieldset>
			))}
		</div>
	);
}

function Option({ choice, index, choose }: { choice: CompletionItem; index: number; choose: (choice: CompletionItem) => void }) {
	const selected = activeIndex.value === index;
	return (
		<button
			type="button"
			id={optionId(index)}
			{...option(selected)}
			tabIndex={-1}
			aria-label={[choice.label, choice.detail].filter(Boolean).map(cleanText).join(", ")}
			class="popup-option"
			title={cleanText(choice.insert)}
			onMouseDown={(press) => press.preventDefault()}
			onMouseMove={() => {
				if (!selected) activeIndex.value = index;
			}}
			onClick={() => choose(choice)}
		>
			{choice.icon && <Icon name={choice.icon} />}
			<span class="popup-label">
				<Marked text={choice.label} marks={choice.matchIndices} />
			</span>
			<span class={choice.detailIsPath ? "popup-detail path" : "popup-detail"}>
				<bdi>{cleanText(choice.detail)}</bdi>
			</span>
		</button>
	);
}

/** Native option elements only work in a select. */
function option(selected: boolean) {
	return { role: "option", "aria-selected": selected } as const;
}

/** Highlights matched letters in runs. */
function Marked({ text, marks }: { text: string; marks: readonly number[] }) {
	const wanted = new Set(marks);
	const runs: { text: string; marked: boolean }[] = [];
	for (let at = 0; at < text.length; at += 1) {
		const marked = wanted.has(at);
		const last = runs.at(-1);
		if (last?.marked === marked) last.text += text[at];
		else runs.push({ text: text[at] ?? "", marked });
	}
	return (
		<>
			{runs.map((run, index) => (run.marked ? <b key={index}>{cleanText(run.text)}</b> : <span key={index}>{cleanText(run.text)}</span>))}
		</>
	);
}
