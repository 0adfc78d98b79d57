// Renders the agent and model pickers; in narrow views, icons with tooltips.
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import type { AgentChoice } from "../../../src/shared/protocol/chat.ts";
import { agentColorClass } from "../../agentColors.ts";
import { postCommand, postSessionIntent } from "../../host.ts";
import { chatStatus, transcript } from "../../state.ts";
import { cleanText } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";

const LIST = "agent-list";

/** A custom list, since native ones show no icons. The button keeps the focus; arrows move the active option, Enter selects it. */
export function AgentPicker() {
	const status = chatStatus.value;
	const [open, setOpen] = useState(false);
	const [marked, setMarked] = useState(0);
	const list = useRef<HTMLDivElement>(null);
	const typed = useRef<Typed>({ text: "", at: 0 });
	useEffect(() => {
		list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [open, marked]);
	if (!status) return null;
	const { agents } = status;
	const id = status.session?.agentId ?? transcript.value.folded.agent;
	const current = agents.find((agent) => agent.id === id);
	const label = current ? cleanText(current.label) : t("{0} (not found)", cleanText(id));
	const show = () => {
		setMarked(Math.max(0, current ? agents.indexOf(current) : 0));
		setOpen(true);
	};
	const take = (index: number) => {
		setOpen(false);
		const agent = agents[index];
		if (!agent) postCommand("manageAgents");
		else if (agent.id !== id) postSessionIntent("agent", { agent: agent.id });
	};
	const onKey = (key: KeyboardEvent) => {
		if (key.ctrlKey || key.metaKey || key.altKey) return;
		const steps: Record<string, number> = { ArrowDown: marked + 1, ArrowUp: marked - 1, Home: 0, End: agents.length };
		const step = steps[key.key];
		const isTyped = key.key.length === 1 && (key.key !== " " || isTyping(key, typed.current));
		if (!open) {
			if (step === undefined && !isTyped) return;
			show();
			const found = isTyped ? findByPrefix(agents, key, typed.current, -1) : undefined;
			if (found !== undefined) setMarked(found);
		} else if (step !== undefined) setMarked(Math.min(Math.max(0, step), agents.length));
		else if (isTyped) setMarked(findByPrefix(agents, key, typed.current, marked) ?? marked);
		else if (key.key === "Enter" || key.key === " ") take(marked);
		else if (key.key === "Escape") setOpen(false);
		else return;
		key.preventDefault();
		key.stopPropagation();
	};
	return (
		<span class="picker-place">
			<button
				type="button"
				role="combobox"
				aria-label={t("Agent")}
				aria-haspopup="listbox"
				aria-expanded={open}
				aria-controls={LIST}
				aria-description={label}
				aria-activedescendant={open ? optionId(marked) : undefined}
				class="picker agent-picker"
				title={t("Agent: {0}", label)}
				onClick={() => (open ? setOpen(false) : show())}
				onBlur={() => setOpen(false)}
				onKeyDown={onKey}
			>
				<Icon name={current ? (current.icon ?? "hubot") : "question"} class={agentColorClass(current?.color)} />
				<span class="picker-label">{label}</span>
				<Icon name="chevron-down" class="small" />
			</button>
			{open && (
				<div ref={list} id={LIST} role="listbox" aria-label={t("Agents")} class="popup agent-popup">
					{agents.map((agent, index) => (
						<Option
							key={agent.id}
							index={index}
							marked={index === marked}
							icon={agent.icon ?? "hubot"}
							tint={agentColorClass(agent.color)}
							label={cleanText(agent.label)}
							note={agent.id === id ? t("current") : ""}
							mark={setMarked}
							take={take}
						/>
					))}
					<div class="popup-apart">
						<Option
							index={agents.length}
							marked={marked === agents.length}
							icon="settings-gear"
							tint=""
							label={t("Manage Agents…")}
							note=""
							mark={setMarked}
							take={take}
						/>
					</div>
				</div>
			)}
		</span>
	);
}

interface OptionProps {
	index: number;
	marked: boolean;
	icon: string;
	tint: string;
	label: string;
	note: string;
	mark(index: number): void;
	take(index: number): void;
}

function Option({ index, marked, icon, tint, label, note, mark, take }: OptionProps) {
	return (
		<button
			type="button"
			id={optionId(index)}
			{...option(marked)}
			tabIndex={-1}
			aria-label={[label, note].filter((part) => part !== "").join(", ")}
			class="popup-option"
			title={label}
			onMouseDown={(press) => press.preventDefault()}
			onMouseMove={() => {
				if (!marked) mark(index);
			}}
			onClick={() => take(index)}
		>
			<Icon name={icon} class={tint} />
			<span class="popup-label">{label}</span>
			<span class="popup-detail">{note}</span>
		</button>
	);
}

function optionId(index: number): string {
	return `${LIST}-${index}`;
}

/** Native option elements only work in a select. */
function option(selected: boolean) {
	return { role: "option", "aria-selected": selected } as const;
}

/** Milliseconds after which typed letters start a new search. */
const TYPING_PAUSE = 1_000;

interface Typed {
	text: string;
	/** Event timestamp. */
	at: number;
}

function isTyping(key: KeyboardEvent, typed: Typed): boolean {
	return typed.text !== "" && key.timeStamp - typed.at <= TYPING_PAUSE;
}

/** The first agent that starts with the typed text; repeating one letter cycles through its agents. */
function findByPrefix(agents: readonly AgentChoice[], key: KeyboardEvent, typed: Typed, marked: number): number | undefined {
	typed.text = (isTyping(key, typed) ? typed.text : "") + key.key.toLowerCase();
	typed.at = key.timeStamp;
	const matching = (text: string) => agents.flatMap(({ label }, index) => (cleanText(label).toLowerCase().startsWith(text) ? [index] : []));
	const [whole] = matching(typed.text);
	if (whole !== undefined && typed.text.length > 1) return whole;
	if ([...typed.text].some((letter) => letter !== typed.text[0])) return undefined;
	const same = matching(typed.text[0] ?? "");
	return same.find((index) => index > marked) ?? same[0];
}

export function ModelPicker() {
	const model = chatStatus.value?.model;
	if (!model) return null;
	const name = cleanText(model.name);
	return (
		<button
			type="button"
			role="combobox"
			aria-label={t("Model")}
			aria-haspopup="dialog"
			aria-expanded="false"
			aria-controls="message"
			class="picker"
			title={t("Model: {0}. {1}", name, cleanText(model.why))}
			onClick={() => postCommand("selectModel")}
		>
			<Icon name={model.offline ? "debug-disconnect" : "sparkle"} />
			<span class="picker-label">{name}</span>
			<Icon name="chevron-down" class="small" />
		</button>
	);
}
