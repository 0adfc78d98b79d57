// Fields for an agent's appearance: a searchable icon and a color.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatNumber, t } from "../../src/shared/l10n.ts";
import { agentColorClass, agentColors } from "../agentColors.ts";
import { Icon } from "../components/Icon.tsx";
import { cleanText } from "../text/displayText.ts";
import { Field } from "./fields.tsx";
import { draft, editDraft } from "./state.ts";

/** Codicon names with their search terms, injected by the build. */
declare const ICON_WORDS: Readonly<Record<string, string>>;
const SEARCH_TERMS = ICON_WORDS;
const NAMES = Object.keys(SEARCH_TERMS);

/** Icons per row, as laid out in CSS. */
const COLUMNS = 10;

/** Names sorted by match: those that start with the query, contain it, or match it by search terms; all words must match. */
function findIcons(query: string): string[] {
	const typed = query.trim().toLowerCase().split(/\s+/);
	const rank = (name: string) => {
		if (name.startsWith(typed.join("-"))) return 0;
		const ranks = typed.map((word) =>
			name.includes(word) ? 1 : ` ${SEARCH_TERMS[name]}`.includes(` ${word}`) ? 2 : SEARCH_TERMS[name]?.includes(word) ? 3 : 4,
		);
		return Math.max(...ranks);
	};
	return NAMES.map((name) => ({ name, at: rank(name) }))
		.filter(({ at }) => at < 4)
		.sort((left, right) => left.at - right.at)
		.map(({ name }) => name);
}

export function IconField({ fixed }: { fixed: boolean }) {
	const [open, setOpen] = useState(false);
	const button = useRef<HTMLButtonElement>(null);
	const icon = draft.value?.icon;
	const close = () => {
		setOpen(false);
		button.current?.focus();
	};
	return (
		<Field field="icon" label={t("Icon")}>
			{(control) => (
				<div class="icon-field">
					<button
						{...control}
						ref={button}
						type="button"
						class="box chooser"
						aria-expanded={open}
						aria-haspopup="dialog"
						disabled={fixed}
						onClick={() => setOpen(!open)}
					>
						<Icon name={icon ?? "hubot"} class={agentColorClass(draft.value?.color)} />
						<span class="grow">{icon === undefined ? t("Default") : cleanText(icon)}</span>
						<Icon name="chevron-down" class="small-icon" />
					</button>
					{open && <IconList current={icon} close={close} />}
				</div>
			)}
		</Field>
	);
}

function IconList({ current, close }: { current: string | undefined; close: () => void }) {
	const [query, setQuery] = useState("");
	const names = useMemo(() => findIcons(query), [query]);
	const [marked, setMarked] = useState(Math.max(0, current === undefined ? 0 : NAMES.indexOf(current)));
	const panel = useRef<HTMLDivElement>(null);
	const input = useRef<HTMLInputElement>(null);
	useEffect(() => input.current?.focus(), []);
	useEffect(() => {
		panel.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [marked, names]);
	const choose = (name: string | undefined) => {
		if (name !== undefined) editDraft({ icon: name });
		close();
	};
	const move = (by: number) => setMarked((now) => Math.min(Math.max(0, now + by), names.length - 1));
	const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS };
	return (
		<div
			ref={panel}
			class="icon-panel"
			role="dialog"
			aria-label={t("Select an icon")}
			onFocusOut={(leave) => {
				if (leave.relatedTarget instanceof Node && !panel.current?.contains(leave.relatedTarget)) close();
			}}
		>
			<input
				ref={input}
				class="box"
				role="combobox"
				aria-label={t("Search icons")}
				aria-expanded="true"
				aria-controls="icon-list"
				aria-activedescendant={names[marked] === undefined ? undefined : `icon-${names[marked]}`}
				placeholder={t("Search {0} icons", formatNumber(NAMES.length))}
				value={query}
				onInput={({ currentTarget }) => {
					setQuery(currentTarget.value);
					setMarked(0);
				}}
				onKeyDown={(key) => {
					const step = steps[key.key];
					if (key.key === "Escape") close();
					else if (key.key === "Enter") choose(names[marked]);
					else if (step !== undefined) move(step);
					else return;
					key.preventDefault();
					key.stopPropagation();
				}}
			/>
			<div id="icon-list" class="icon-list" role="listbox" aria-label={t("Icons")}>
				{names.map((name, index) => (
					<button
						key={name}
						type="button"
						id={`icon-${name}`}
						{...option(index === marked)}
						tabIndex={-1}
						class="icon-choice"
						aria-label={name}
						title={name}
						onClick={() => choose(name)}
					>
						<Icon name={name} />
					</button>
				))}
			</div>
			{names.length === 0 && <p class="field-hint">{t("No matching icons")}</p>}
			<p class="field-hint icon-name" aria-hidden="true">
				{names[marked]}
			</p>
		</div>
	);
}

/** Native option elements only work in a select. */
function option(selected: boolean) {
	return { role: "option", "aria-selected": selected } as const;
}

export function ColorField({ fixed }: { fixed: boolean }) {
	const color = draft.value?.color;
	const known = color === undefined || agentColors.has(color);
	return (
		<Field
			field="color"
			label={t("Color")}
			hint={known ? undefined : t("The current color, {0}, isn't in this list.", cleanText(color ?? ""))}
			group
		>
			{(control) => (
				<>
					<div class="swatches" id={control.id}>
						<Swatch label={t("No color")} color={undefined} chosen={color === undefined} fixed={fixed} />
						{FOURS.map((four) => (
							<span key={four[0]?.[0]} class="four">
								{four.map(([id, label]) => (
									<Swatch key={id} label={label} color={id} chosen={color === id} fixed={fixed} />
								))}
							</span>
						))}
					</div>
					{known && (
						<p class="field-hint" aria-hidden="true">
							{color === undefined ? t("No color") : agentColors.get(color)}
						</p>
					)}
				</>
			)}
		</Field>
	);
}

/** Some themes use one color for several of them; position and name distinguish them. */
const FOURS = [0, 4, 8, 12, 16, 20].map((from) => [...agentColors].slice(from, from + 4));

interface SwatchProps {
	label: string;
	color: string | undefined;
	chosen: boolean;
	fixed: boolean;
}

function Swatch({ label, color, chosen, fixed }: SwatchProps) {
	return (
		<label class="swatch" title={label}>
			<input
				type="radio"
				name="color"
				class="sr-only"
				aria-label={label}
				checked={chosen}
				disabled={fixed}
				onChange={() => editDraft({ color })}
			/>
			<Icon name={color === undefined ? "circle-slash" : "circle-large-filled"} class={agentColorClass(color)} />
		</label>
	);
}
