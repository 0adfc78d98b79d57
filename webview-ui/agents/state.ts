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

const persisted = readPersistedState();

export const agentsView = signal<AgentsView | undefined>(undefined);
/** Key of the selected entry. */
export const selectedKey = signal<string | undefined>(persisted?.chosen);
export const drafts = signal<StoredDrafts>(persisted?.drafts ?? {});
/** Text for screen readers. */
export const announcement = signal("");
/** Incremented to focus the first field with a problem. */
export const focusProblemRequest = signal(0);

const detail = signal<{ key: string; detail: AgentDetail } | undefined>(undefined);
const checked = signal<{ key: string; problems: readonly DraftProblem[]; scope: ScopeSummary } | undefined>(undefined);
/** Key of the entry whose save was refused: from then on all its problems are shown. */
const tried = signal<string | undefined>(undefined);

export const selectedRow = computed<AgentListRow | undefined>(() => agentsView.value?.rows.find(({ key }) => key === selectedKey.value));
export const selectedDetail = computed(() => (detail.value?.key === selectedKey.value ? detail.value?.detail : undefined));

const EMPTY: AgentDraft = { displayName: "" };

/** The saved version; empty for a new agent. */
export const savedDraft = computed<AgentDraft | undefined>(() => {
	const shown = selectedDetail.value;
	if (shown?.kind === "agent") return shown.draft;
	return selectedRow.value || selectedKey.value === undefined ? undefined : EMPTY;
});

/** The draft, or the saved version without one. */
export const draft = computed<AgentDraft | undefined>(() => drafts.value[selectedKey.value ?? ""]?.draft ?? savedDraft.value);
export const isCurrentUnsaved = computed(() => isUnsaved(drafts.value[selectedKey.value ?? ""]));

/** A draft may differ only in what is not saved, such as an empty line being typed. */
export function isUnsaved(stored: StoredDraft | undefined): boolean {
	return stored !== undefined && serializeDraft(stored.draft) !== stored.base;
}

/** The saved version changed elsewhere after the user began to edit. */
export const isOutdated = computed(() => {
	const stored = drafts.value[selectedKey.value ?? ""];
	return (
		stored !== undefined &&
		isUnsaved(stored) &&
		stored.base !== "" &&
		selectedDetail.value?.kind === "agent" &&
		stored.base !== serializeDraft(selectedDetail.value.draft)
	);
});

export const scope = computed<ScopeSummary | undefined>(() => {
	if (checked.value?.key === selectedKey.value) return checked.value?.scope;
	return selectedDetail.value?.scope;
});

/** Problems of fields the user has changed, or all problems after a failed save. */
export const problems = computed<ReadonlyMap<string, string>>(() => {
	const [now, before, key] = [draft.value, savedDraft.value, selectedKey.value];
	if (!now) return new Map();
	const shown = selectedDetail.value;
	const found = checked.value?.key === key ? checked.value?.problems : shown?.kind === "agent" ? shown.problems : [];
	const isNew = !selectedRow.value;
	const touched = before ? differingFields(now, before) : new Set<string>();
	const visible = (found ?? []).filter(({ field }) => tried.value === key || !isNew || field === "" || touched.has(rootOf(field)));
	return new Map([...visible].reverse().map(({ field, problem }) => [rootOf(field), problem]));
});

/** Maps "toolAllowlist.2" to the list. */
function rootOf(field: string): string {
	return field.split(/[.[]/)[0] ?? "";
}

export function applyUpdate(update: AgentsUpdate): void {
	batch(() => (handlers[update.type] as (update: AgentsUpdate) => void)(update));
}

type Takers = { [T in AgentsUpdate["type"]]: (update: Extract<AgentsUpdate, { type: T }>) => void };

const handlers: Takers = {
	snapshot(update) {
		// The page's own saved drafts are newer than the host's.
		if (!persisted) drafts.value = update.drafts;
		applyView(update.view);
		selectAgent(selectedKey.value ?? update.view.rows[0]?.key);
	},
	view: (update) => applyView(update.view),
	detail(update) {
		detail.value = update;
	},
	checked(update) {
		if (update.ask === checkCount) checked.value = update;
	},
	saved({ key, as, view: next }) {
		tried.value = undefined;
		drop(key);
		selectedKey.value = as;
		applyView(next);
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

/** The focused element is recreated when a new agent gets its key. */
function keepFocus(): void {
	if (document.activeElement === document.body) document.querySelector<HTMLElement>(".head-buttons button")?.focus();
}

let removing: string | undefined;

function applyView(next: AgentsView): void {
	const before = agentsView.value?.rows ?? [];
	agentsView.value = next;
	const isListedIn = (key: string | undefined) => next.rows.some((candidate) => candidate.key === key);
	if (removing !== undefined && !isListedIn(removing)) {
		drop(removing);
		removing = undefined;
	}
	if (selectedKey.value === undefined || isListedIn(selectedKey.value) || drafts.value[selectedKey.value]) return;
	const index = before.findIndex(({ key }) => key === selectedKey.value);
	selectAgent((next.rows[Math.min(Math.max(index, 0), next.rows.length - 1)] ?? next.rows[0])?.key);
}

export function selectAgent(key: string | undefined): void {
	if (key === undefined) return;
	selectedKey.value = key;
	save();
	const isListed = agentsView.value?.rows.some((candidate) => candidate.key === key);
	if (isListed) postIntent({ type: "choose", key });
	const stored = drafts.value[key];
	if (stored || !isListed) check(key, stored?.draft ?? EMPTY);
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
	clearTimeout(checkTimer);
	checkTimer = setTimeout(() => check(key, next), CHECK_DELAY);
	// Before the next event: the window may close.
	save();
	flushSoon();
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
	clearTimeout(checkTimer);
	// An agent deleted meanwhile is saved as a new one.
	const isDeleted = !selectedRow.value && key.startsWith("agent:");
	if (isDeleted) rename(key, `new:${key}`);
	postIntent({ type: "save", key: isDeleted ? `new:${key}` : key, draft: normalizeDraft(withApprovals(now, drafts.value[key]?.base)) });
}

/** Uses the saved approvals unless the user changed them here, so that revoked ones don't return. */
function withApprovals(now: AgentDraft, base = ""): AgentDraft {
	const original = base === "" ? undefined : (JSON.parse(base) as AgentDraft);
	const isUnchanged = original && !differingFields(original, { ...original, allowedTools: now.allowedTools ?? [] }).has("allowedTools");
	return isUnchanged ? applyDraftChange(now, { allowedTools: savedDraft.value?.allowedTools }) : now;
}

export function removeAgent(key: string): void {
	removing = key;
	postIntent({ type: "remove", key });
}

/** Milliseconds without changes before a draft is checked, and before the host stores it. */
const CHECK_DELAY = 150;
const FLUSH_DELAY = 300;

let checkCount = 0;
let checkTimer: ReturnType<typeof setTimeout> | undefined;
let flushTimer: ReturnType<typeof setTimeout> | undefined;

function check(key: string, checkedDraft: AgentDraft): void {
	checkCount += 1;
	postIntent({ type: "check", ask: checkCount, key, draft: normalizeDraft(checkedDraft) });
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

function flushSoon(): void {
	flushTimer ??= setTimeout(flushDrafts, FLUSH_DELAY);
}

/** Stores unsaved drafts in the page's state and in the host. */
export function flushDrafts(): void {
	clearTimeout(flushTimer);
	flushTimer = undefined;
	save();
	postIntent({ type: "keep", drafts: Object.fromEntries(Object.entries(drafts.value).filter(([, stored]) => isUnsaved(stored))) });
}

function save(): void {
	writePersistedState({ drafts: drafts.value, chosen: selectedKey.value });
}
