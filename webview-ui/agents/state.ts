// What the page knows: the agents as the host lists them, the one that shows, and what the person has changed and not saved.
import { batch, computed, signal } from "@preact/signals";
import type { AgentDraft } from "../../src/core/agent.ts";
import { t } from "../../src/shared/l10n.ts";
import type { AgentsUpdate, AgentsView, Detail, KeptDraft, KeptDrafts, Problem, Row, Scope } from "../../src/shared/protocol/agents.ts";
import { type Change, changed, cleaned, differing, textOf } from "./drafts.ts";
import { keep, post, readKept } from "./host.ts";

const kept = readKept();

export const view = signal<AgentsView | undefined>(undefined);
/** The key of the entry that shows. */
export const chosen = signal<string | undefined>(kept?.chosen);
export const drafts = signal<KeptDrafts>(kept?.drafts ?? {});
/** For a screen reader. */
export const said = signal("");
/** Bumped when the field that has a problem should take the focus. */
export const toMend = signal(0);

const detail = signal<{ key: string; detail: Detail } | undefined>(undefined);
const checked = signal<{ key: string; problems: readonly Problem[]; scope: Scope } | undefined>(undefined);
/** Saving that entry was refused: all its problems show from then on. */
const tried = signal<string | undefined>(undefined);

export const row = computed<Row | undefined>(() => view.value?.rows.find(({ key }) => key === chosen.value));
export const shownDetail = computed(() => (detail.value?.key === chosen.value ? detail.value?.detail : undefined));

const EMPTY: AgentDraft = { displayName: "" };

/** As it is kept now; that of a new agent is empty. */
export const original = computed<AgentDraft | undefined>(() => {
	const shown = shownDetail.value;
	if (shown?.kind === "agent") return shown.draft;
	return row.value || chosen.value === undefined ? undefined : EMPTY;
});

/** What the fields show. */
export const draft = computed<AgentDraft | undefined>(() => drafts.value[chosen.value ?? ""]?.draft ?? original.value);
export const unsaved = computed(() => isUnsaved(drafts.value[chosen.value ?? ""]));

/** A draft may differ in what is not kept alone: an empty line that is being typed. */
export function isUnsaved(mine: KeptDraft | undefined): boolean {
	return mine !== undefined && textOf(mine.draft) !== mine.base;
}

/** It was changed elsewhere since the person began to change it here. */
export const overtaken = computed(() => {
	const mine = drafts.value[chosen.value ?? ""];
	return (
		mine !== undefined &&
		isUnsaved(mine) &&
		mine.base !== "" &&
		shownDetail.value?.kind === "agent" &&
		mine.base !== textOf(shownDetail.value.draft)
	);
});

export const scope = computed<Scope | undefined>(() => {
	if (checked.value?.key === chosen.value) return checked.value?.scope;
	return shownDetail.value?.scope;
});

/** What is wrong, at the fields that the person has touched, or at all once they have tried to save. */
export const problems = computed<ReadonlyMap<string, string>>(() => {
	const [now, before, key] = [draft.value, original.value, chosen.value];
	if (!now) return new Map();
	const shown = shownDetail.value;
	const found = checked.value?.key === key ? checked.value?.problems : shown?.kind === "agent" ? shown.problems : [];
	const isNew = !row.value;
	const touched = before ? differing(now, before) : new Set<string>();
	const seen = (found ?? []).filter(({ field }) => tried.value === key || !isNew || field === "" || touched.has(rootOf(field)));
	return new Map([...seen].reverse().map(({ field, problem }) => [rootOf(field), problem]));
});

/** "toolAllowlist.2" is about the list. */
function rootOf(field: string): string {
	return field.split(/[.[]/)[0] ?? "";
}

export function receive(update: AgentsUpdate): void {
	batch(() => (takers[update.type] as (update: AgentsUpdate) => void)(update));
}

type Takers = { [T in AgentsUpdate["type"]]: (update: Extract<AgentsUpdate, { type: T }>) => void };

const takers: Takers = {
	snapshot(update) {
		// What the page kept itself is the newer of the two.
		if (!kept) drafts.value = update.drafts;
		takeView(update.view);
		choose(chosen.value ?? update.view.rows[0]?.key);
	},
	view: (update) => takeView(update.view),
	detail(update) {
		detail.value = update;
	},
	checked(update) {
		if (update.ask === asked) checked.value = update;
	},
	saved({ key, as, view: next }) {
		tried.value = undefined;
		drop(key);
		chosen.value = as;
		takeView(next);
		said.value = t("Saved");
		choose(as);
		requestAnimationFrame(keepFocus);
	},
	refused({ key, problems }) {
		tried.value = key;
		said.value = "";
		if (scope.value) checked.value = { key, problems, scope: scope.value };
		toMend.value += 1;
	},
	select: ({ key }) => (key === "new" ? create() : choose(key)),
	token: () => undefined,
};

/** What had the focus is drawn anew once a new agent has its key. */
function keepFocus(): void {
	if (document.activeElement === document.body) document.querySelector<HTMLElement>(".head-buttons button")?.focus();
}

let leaving: string | undefined;

function takeView(next: AgentsView): void {
	const before = view.value?.rows ?? [];
	view.value = next;
	const there = (key: string | undefined) => next.rows.some((candidate) => candidate.key === key);
	if (leaving !== undefined && !there(leaving)) {
		drop(leaving);
		leaving = undefined;
	}
	if (chosen.value === undefined || there(chosen.value) || drafts.value[chosen.value]) return;
	const index = before.findIndex(({ key }) => key === chosen.value);
	choose((next.rows[Math.min(Math.max(index, 0), next.rows.length - 1)] ?? next.rows[0])?.key);
}

export function choose(key: string | undefined): void {
	if (key === undefined) return;
	chosen.value = key;
	save();
	const isListed = view.value?.rows.some((candidate) => candidate.key === key);
	if (isListed) post({ type: "choose", key });
	const mine = drafts.value[key];
	if (mine || !isListed) check(key, mine?.draft ?? EMPTY);
}

export function create(): void {
	let number = 1;
	while (drafts.value[`new:${number}`]) number += 1;
	const key = `new:${number}`;
	drafts.value = { ...drafts.value, [key]: { draft: EMPTY, base: "" } };
	choose(key);
	tell();
	requestAnimationFrame(() => document.getElementById("f-displayName")?.focus());
}

export function edit(change: Change): void {
	const [key, now, before] = [chosen.value, draft.value, original.value];
	if (key === undefined || !now || !before) return;
	const next = changed(now, change);
	drafts.value = { ...drafts.value, [key]: { draft: next, base: drafts.value[key]?.base ?? textOf(before) } };
	clearTimeout(checking);
	checking = setTimeout(() => check(key, next), CHECK_AFTER);
	tellSoon();
}

export function revert(): void {
	const key = chosen.value;
	if (key === undefined) return;
	tried.value = undefined;
	const isListed = row.value !== undefined;
	drop(key);
	said.value = isListed ? t("Reverted") : t("Discarded");
	choose(isListed ? key : view.value?.rows[0]?.key);
}

export function store(): void {
	const [key, now] = [chosen.value, draft.value];
	if (key === undefined || !now || !unsaved.value) return;
	clearTimeout(checking);
	// One that was deleted meanwhile comes back as a new one.
	const lost = !row.value && key.startsWith("agent:");
	if (lost) rename(key, `new:${key}`);
	post({ type: "save", key: lost ? `new:${key}` : key, draft: cleaned(withApprovals(now, drafts.value[key]?.base)) });
}

/** Standing approvals that the person has not changed here stay as they are now: one that was taken back meanwhile does not return. */
function withApprovals(now: AgentDraft, base = ""): AgentDraft {
	const begun = base === "" ? undefined : (JSON.parse(base) as AgentDraft);
	const same = begun && !differing(begun, { ...begun, allowedTools: now.allowedTools ?? [] }).has("allowedTools");
	return same ? changed(now, { allowedTools: original.value?.allowedTools }) : now;
}

export function remove(key: string): void {
	leaving = key;
	post({ type: "remove", key });
}

/** Milliseconds of rest before a draft is looked at, and before it is handed over. */
const CHECK_AFTER = 150;
const TELL_AFTER = 300;

let asked = 0;
let checking: ReturnType<typeof setTimeout> | undefined;
let telling: ReturnType<typeof setTimeout> | undefined;

function check(key: string, one: AgentDraft): void {
	asked += 1;
	post({ type: "check", ask: asked, key, draft: cleaned(one) });
}

function drop(key: string): void {
	const { [key]: _, ...others } = drafts.value;
	drafts.value = others;
	checked.value = undefined;
	tell();
}

function rename(from: string, to: string): void {
	const { [from]: moved, ...others } = drafts.value;
	drafts.value = { ...others, [to]: { ...(moved as KeptDraft), base: "" } };
	chosen.value = to;
}

function tellSoon(): void {
	telling ??= setTimeout(tell, TELL_AFTER);
}

/** What is not saved goes to the page's own state and to the host. */
export function tell(): void {
	clearTimeout(telling);
	telling = undefined;
	save();
	post({ type: "keep", drafts: Object.fromEntries(Object.entries(drafts.value).filter(([, mine]) => isUnsaved(mine))) });
}

function save(): void {
	keep({ drafts: drafts.value, chosen: chosen.value });
}
