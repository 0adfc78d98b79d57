// Renders the list of agents, grouped by origin.

// A single tab stop: arrow keys move, and the selection follows.
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../src/shared/l10n.ts";
import type { AgentListRow, AgentOrigin } from "../../src/shared/protocol/agents.ts";
import { agentColorClass } from "../agentColors.ts";
import { Icon } from "../components/Icon.tsx";
import { escapeHiddenCharacters } from "../text/displayText.ts";
import { agentsView, createAgent, drafts, isUnsaved, selectAgent, selectedKey } from "./state.ts";

const ORIGINS: Record<AgentOrigin, string> = {
	builtin: t("Built-in"),
	settings: t("Settings"),
	own: t("Yours"),
	workspace: t("Workspace"),
};

/** Number of agents from which a search box is shown. */
const SEARCH_FROM = 12;

interface Entry {
	key: string;
	label: string;
	origin: AgentOrigin;
	icon: string;
	tint: string;
	/** Short labels beside the name and their explanations. */
	badges: { label: string; about: string }[];
	unsaved: boolean;
}

export function AgentList() {
	const [query, setQuery] = useState("");
	const list = useRef<HTMLDivElement>(null);
	const all = entries();
	const word = query.trim().toLowerCase();
	const shown = all.filter(({ label, key }) => word === "" || `${label} ${key}`.toLowerCase().includes(word));
	const origins = (Object.keys(ORIGINS) as AgentOrigin[]).filter((origin) => shown.some((entry) => entry.origin === origin));
	const ordered = origins.flatMap((origin) => shown.filter((entry) => entry.origin === origin));
	const at = ordered.findIndex(({ key }) => key === selectedKey.value);
	useEffect(() => {
		list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [selectedKey.value, agentsView.value]);
	const goTo: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: ordered.length - 1 };
	return (
		<nav class="list" aria-label={t("Agents")}>
			<div class="list-head">
				<button type="button" class="secondary grow" onClick={createAgent}>
					<Icon name="add" /> {t("New")}
				</button>
			</div>
			{all.length >= SEARCH_FROM && (
				<input
					class="box list-find"
					aria-label={t("Search agents")}
					placeholder={t("Search agents")}
					value={query}
					onInput={({ currentTarget }) => setQuery(currentTarget.value)}
				/>
			)}
			<div
				ref={list}
				class="rows"
				role="listbox"
				tabIndex={0}
				aria-label={t("Agents")}
				aria-activedescendant={at < 0 ? undefined : `row-${at}`}
				onKeyDown={(key) => {
					const next = ordered[Math.min(Math.max(0, goTo[key.key] ?? -1), ordered.length - 1)];
					if (!(key.key in goTo) || !next) return;
					key.preventDefault();
					selectAgent(next.key);
				}}
			>
				{origins.map((origin) => (
					<fieldset key={origin} class="group" aria-label={ORIGINS[origin]}>
						<div class="rows-head" aria-hidden="true">
							{ORIGINS[origin]}
						</div>
						{ordered.map(
							(entry, index) => entry.origin === origin && <Row key={entry.key} entry={entry} index={index} selected={index === at} />,
						)}
					</fieldset>
				))}
				{ordered.length === 0 && <p class="field-hint rows-none">{t("No matching agents")}</p>}
			</div>
		</nav>
	);
}

function Row({ entry, index, selected }: { entry: Entry; index: number; selected: boolean }) {
	const { key, label, icon, tint, badges, unsaved } = entry;
	const accessibleName = [label, ...badges.map(({ label: badge }) => badge), ...(unsaved ? [t("Unsaved changes")] : [])].join(", ");
	return (
		<button
			type="button"
			id={`row-${index}`}
			{...option(selected)}
			tabIndex={-1}
			aria-label={accessibleName}
			class="row"
			title={[label, ...badges.map(({ about }) => about)].join("\n")}
			onClick={() => selectAgent(key)}
		>
			<Icon name={icon} class={tint} />
			<span class="row-label">{label}</span>
			{badges.map(({ label: badge }) => (
				<span key={badge} class="badge">
					{badge}
				</span>
			))}
			{unsaved && <span class="dot" title={t("Unsaved changes")} />}
		</button>
	);
}

/** Native option elements only work in a select. */
function option(selected: boolean) {
	return { role: "option", "aria-selected": selected } as const;
}

function entries(): Entry[] {
	const rows = agentsView.value?.rows ?? [];
	const listed = rows.map(entryOf);
	// New or meanwhile deleted agents have no row from the host.
	const others = Object.entries(drafts.value).filter(([key]) => !rows.some((row) => row.key === key));
	return [
		...listed,
		...others.map(
			([key, { draft }]): Entry => ({
				key,
				label: escapeHiddenCharacters(draft.displayName) || t("New Agent"),
				origin: "own",
				icon: draft.icon ?? "hubot",
				tint: agentColorClass(draft.color),
				badges: [],
				unsaved: true,
			}),
		),
	];
}

function entryOf(row: AgentListRow): Entry {
	const base = { key: row.key, origin: row.origin, unsaved: isUnsaved(drafts.value[row.key]) };
	const label = escapeHiddenCharacters(row.label);
	if (row.kind === "broken") {
		const badge = { label: t("invalid"), about: escapeHiddenCharacters(row.problem) };
		return { ...base, label, icon: "error", tint: "row-error", badges: [badge] };
	}
	if (row.kind === "waiting") {
		const badge = { label: t("waiting"), about: t("Review and approve this agent before use.") };
		return { ...base, label, icon: "shield", tint: "row-warning", badges: [badge] };
	}
	const draftOfRow = drafts.value[row.key]?.draft;
	return {
		...base,
		label: (draftOfRow && escapeHiddenCharacters(draftOfRow.displayName)) || label,
		icon: draftOfRow?.icon ?? row.icon ?? "hubot",
		tint: agentColorClass(draftOfRow ? draftOfRow.color : row.color),
		badges: row.hidden ? [{ label: t("hidden"), about: t("Not shown in agent pickers") }] : [],
	};
}
