// State of "Manage Agents": the agents from the host, the selected one and unsaved drafts.
import { batch, computed, signal } from "@preact/signals";
import type { AgentDraft } from "../../src/core/agent.ts";
import { t } from "../../src/shared/l10n.ts";
import type {
	AgentDetail,
	AgentListRow,
	AgentsUpdate,
	AgentsView,
	DraftProblem,
	ScopeSummary,
	StoredDraft,
	StoredDrafts,
} from "../../src/shared/protocol/agents.ts";
import { applyDraftChange, type DraftChange, differingFields, normalizeDraft, serializeDraft } from "./drafts.ts";
import { postIntent, readPersistedState, writePersistedState } from "./host.ts";

const kept = readPersistedState();

export const agentsView = signal<AgentsView | undefined>(undefined);
/** The key of the entry that shows. */
export const selectedKey = signal<string | undefined>(kept?.chosen);
export const drafts = signal<StoredDrafts>(kept?.drafts ?? {});
/** For a screen reader. */
export const announcement = signal("");
/** Bumped when the field that has a problem should take the focus. */
export const focusProblemRequest = signal(0);

const detail = signal<{ key: string; detail: AgentDetail } | undefined>(undefined);
const checked = signal<{ key: string; problems: readonly DraftProblem[]; scope: ScopeSummary } | undefined>(undefined);
/** Saving that entry was refused: all its problems show from then on. */
const tried = signal<string | undefined>(undefined);

export const selectedRow = computed<AgentListRow | undefined>(() => agentsView.value?.rows.find(({ key }) => key === selectedKey.value));
export const selectedDetail = computed(() => (detail.value?.key === selectedKey.value ? detail.value?.detail : undefined));

const EMPTY: AgentDraft = { displayName: "" };

/** As it is kept now; that of a new agent is empty. */
export const savedDraft = computed<AgentDraft | undefined>(() => {
	const shown = selectedDetail.value;
	if (shown?.kind === "agent") return shown.draft;
	return selectedRow.value || selectedKey.value === undefined ? undefined : EMPTY;
});

/** What the fields show. */
export const draft = computed<AgentDraft | undefined>(() => drafts.value[selectedKey.value ?? ""]?.draft ?? savedDraft.value);
export const isCurrentUnsaved = computed(() => isUnsaved(drafts.value[selectedKey.value ?? ""]));

/** A draft may differ in what is not kept alone: an empty line that is being typed. */
export function isUnsaved(mine: StoredDraft | undefined): boolean {
	return mine !== undefined && serializeDraft(mine.draft) !== mine.base;
}

/** It was changed elsewhere since the person began to change it here. */
export const isOutdated = computed(() => {
	const mine = drafts.value[selectedKey.value ?? ""];
	return (
		mine !== undefined &&
		isUnsaved(mine) &&
		mine.base !== "" &&
		selectedDetail.value?.kind === "agent" &&
		mine.base !== serializeDraft(selectedDetail.value.draft)
	);
});

export const scope = computed<ScopeSummary | undefined>(() => {
	if (checked.value?.key === selectedKey.value) return checked.value?.scope;
	return selectedDetail.value?.scope;
});

/** What is wrong, at the fields that the person has touched, or at all once they have tried to save. */
export const problems = computed<ReadonlyMap<string, string>>(() => {
	const [now, before, key] = [draft.value, savedDraft.value, selectedKey.value];
	if (!now) return new Map();
	const shown = selectedDetail.value;
	const found = checked.value?.key === key ? checked.value?.problems : shown?.kind === "agent" ? shown.problems : [];
	const isNew = !selectedRow.value;
	const touched = before ? differingFields(now, before) : new Set<string>();
	const seen = (found ?? []).filter(({ field }) => tried.value === key || !isNew || field === "" || touched.has(rootOf(field)));
	return new Map([...seen].reverse().map(({ field, problem }) => [rootOf(field), problem]));
});

/** "toolAllowlist.2" is about the list. */
function rootOf(field: string): string {
	return field.split(/[.[]/)[0] ?? "";
}

export function applyUpdate(update: AgentsUpdate): void {
	batch(() => (takers[update.type] as (update: AgentsUpdate) => void)(update));
}

type Takers = { [T in AgentsUpdate["type"]]: (update: Extract<AgentsUpdate, { type: T }>) => void };

const takers: Takers = {
	snapshot(update) {
		// What the page kept itself is the newer of the two.
		if (!kept) drafts.value = update.drafts;
		takeView(update.view);
		selectAgent(selectedKey.value ?? update.view.rows[0]?.key);
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
		selectedKey.value = as;
		takeView(next);
		announcement.value = t("Saved");
		selectAgent(as);
		requestAnimationFrame(keepFocus);
	},
	refused({ key, problems }) {
		tried.value = key;
		announcement.value = "";
		if (scope.value) checked.value = { key, problems, scope: scope.value };
		focusProblemRequest.value += 1;
	},
	select: ({ key }) => (key === "new" ? createAgent() : selectAgent(key)),
	token: () => undefined,
};

/** What had the focus is drawn anew once a new agent has its key. */
function keepFocus(): void {
	if (document.activeElement === document.body) document.querySelector<HTMLElement>(".head-buttons button")?.focus();
}

let leaving: string | undefined;

function takeView(next: AgentsView): void {
	const before = agentsView.value?.rows ?? [];
	agentsView.value = next;
	const there = (key: string | undefined) => next.rows.some((candidate) => candidate.key === key);
	if (leaving !== undefined && !there(leaving)) {
		drop(leaving);
		leaving = undefined;
	}
	if (selectedKey.value === undefined || there(selectedKey.value) || drafts.value[selectedKey.value]) return;
	const index = before.findIndex(({ key }) => key === selectedKey.value);
	selectAgent((next.rows[Math.min(Math.max(index, 0), next.rows.length - 1)] ?? next.rows[0])?.key);
}

export function selectAgent(key: string | undefined): void {
	if (key === undefined) return;
	selectedKey.value = key;
	save();
	const isListed = agentsView.value?.rows.some((candidate) => candidate.key === key);
	if (isListed) postIntent({ type: "choose", key });
	const mine = drafts.value[key];
	if (mine || !isListed) check(key, mine?.draft ?? EMPTY);
}

export function createAgent(): void {
	let number = 1;
	while (drafts.value[`new:${number}`]) number += 1;
	const key = `new:${number}`;
	drafts.value = { ...drafts.value, [key]: { draft: EMPTY, base: "" } };
	selectAgent(key);
	flushDrafts();
	requestAnimationFrame(() => document.getElementById("f-displayName")?.focus());
}

export function editDraft(change: DraftChange): void {
	const [key, now, before] = [selectedKey.value, draft.value, savedDraft.value];
	if (key === undefined || !now || !before) return;
	const next = applyDraftChange(now, change);
	drafts.value = { ...drafts.value, [key]: { draft: next, base: drafts.value[key]?.base ?? serializeDraft(before) } };
	clearTimeout(checking);
	checking = setTimeout(() => check(key, next), CHECK_AFTER);
	tellSoon();
}

export function revertDraft(): void {
	const key = selectedKey.value;
	if (key === undefined) return;
	tried.value = undefined;
	const isListed = selectedRow.value !== undefined;
	drop(key);
	announcement.value = isListed ? t("Reverted") : t("Discarded");
	selectAgent(isListed ? key : agentsView.value?.rows[0]?.key);
}

export function saveDraft(): void {
	const [key, now] = [selectedKey.value, draft.value];
	if (key === undefined || !now || !isCurrentUnsaved.value) return;
	clearTimeout(checking);
	// One that was deleted meanwhile comes back as a new one.
	const lost = !selectedRow.value && key.startsWith("agent:");
	if (lost) rename(key, `new:${key}`);
	postIntent({ type: "save", key: lost ? `new:${key}` : key, draft: normalizeDraft(withApprovals(now, drafts.value[key]?.base)) });
}

/** Standing approvals that the person has not changed here stay as they are now: one that was taken back meanwhile does not return. */
function withApprovals(now: AgentDraft, base = ""): AgentDraft {
	const begun = base === "" ? undefined : (JSON.parse(base) as AgentDraft);
	const same = begun && !differingFields(begun, { ...begun, allowedTools: now.allowedTools ?? [] }).has("allowedTools");
	return same ? applyDraftChange(now, { allowedTools: savedDraft.value?.allowedTools }) : now;
}

export function removeAgent(key: string): void {
	leaving = key;
	postIntent({ type: "remove", key });
}

/** Milliseconds of rest before a draft is looked at, and before it is handed over. */
const CHECK_AFTER = 150;
const TELL_AFTER = 300;

let asked = 0;
let checking: ReturnType<typeof setTimeout> | undefined;
let telling: ReturnType<typeof setTimeout> | undefined;

function check(key: string, one: AgentDraft): void {
	asked += 1;
	postIntent({ type: "check", ask: asked, key, draft: normalizeDraft(one) });
}

function drop(key: string): void {
	const { [key]: _, ...others } = drafts.value;
	drafts.value = others;
	checked.value = undefined;
	flushDrafts();
}

function rename(from: string, to: string): void {
	const { [from]: moved, ...others } = drafts.value;
	drafts.value = { ...others, [to]: { ...(moved as StoredDraft), base: "" } };
	selectedKey.value = to;
}

function tellSoon(): void {
	telling ??= setTimeout(flushDrafts, TELL_AFTER);
}

/** What is not saved goes to the page's own state and to the host. */
export function flushDrafts(): void {
	clearTimeout(telling);
	telling = undefined;
	save();
	postIntent({ type: "keep", drafts: Object.fromEntries(Object.entries(drafts.value).filter(([, mine]) => isUnsaved(mine))) });
}

function save(): void {
	writePersistedState({ drafts: drafts.value, chosen: selectedKey.value });
}
