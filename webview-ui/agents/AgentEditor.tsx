// Renders the editor of the selected agent.

// Read-only agents are shown, too, with the available alternatives.
import { useEffect } from "preact/hooks";
import { t } from "../../src/shared/l10n.ts";
import type { AgentRow, BrokenRow } from "../../src/shared/protocol/agents.ts";
import { agentColorClass } from "../agentColors.ts";
import { Icon } from "../components/Icon.tsx";
import { cleanText } from "../text/displayText.ts";
import { ApprovalsField, ExposureField, McpServersField, OutputField, VisibilityField } from "./AccessFields.tsx";
import { ColorField, IconField } from "./AppearanceFields.tsx";
import { TextField } from "./fields.tsx";
import { postIntent } from "./host.ts";
import { ExtendsField, ModelField, RolesField } from "./ModelFields.tsx";
import { OptInField, type ScopedKind, ScopeFields } from "./ScopeFields.tsx";
import { ScopePreview } from "./ScopePreview.tsx";
import {
	announcement,
	draft,
	focusProblemRequest,
	isCurrentUnsaved,
	isOutdated,
	problems,
	removeAgent,
	revertDraft,
	saveDraft,
	scope,
	selectedKey,
} from "./state.ts";

/** Without `row`, the agent is new. */
export function AgentEditor({ row }: { row: AgentRow | undefined }) {
	const fixed = row !== undefined && !row.editable;
	useEffect(() => {
		if (focusProblemRequest.value > 0) focusProblem();
	}, [focusProblemRequest.value]);
	return (
		<form
			key={selectedKey.value}
			class="editor"
			aria-label={t("Agent")}
			onSubmit={(submit) => submit.preventDefault()}
			onKeyDown={(key) => {
				// Enter in a field would click the form's first button.
				if (key.key === "Enter" && key.target instanceof HTMLInputElement) key.preventDefault();
			}}
		>
			<Head row={row} fixed={fixed} />
			<div class="editor-body">
				{row && fixed && <Fixed row={row} />}
				{row?.notes.map((note) => (
					<p key={note} class="banner">
						<Icon name="info" />
						<span>{cleanText(note)}</span>
					</p>
				))}
				{isOutdated.value && (
					<p class="banner warning">
						<Icon name="warning" />
						<span>
							{t("This agent was changed elsewhere while you were editing. Save overwrites those changes. Revert discards yours.")}
						</span>
					</p>
				)}
				<GeneralProblem />
				<TextField field="displayName" label={t("Name")} placeholder={t("For example, Release Notes")} fixed={fixed} />
				<TextField field="description" label={t("Description")} hint={t("One line, shown in pickers and to other agents.")} fixed={fixed} />
				<div class="pair">
					<IconField fixed={fixed} />
					<ColorField fixed={fixed} />
				</div>
				<TextField
					field="systemPrompt"
					label={t("Prompt")}
					hint={t("Describe the agent's persona and instructions. If empty, its name and description are used.")}
					long
					fixed={fixed}
				/>
				<div class="pair">
					<ModelField fixed={fixed} />
					<ExtendsField fixed={fixed} />
				</div>
				<RolesField fixed={fixed} />
				<h2>{t("Tools")}</h2>
				<p class="field-hint">{t("One pattern per line. * matches any characters. The plan tools are always available.")}</p>
				<ScopeFields of="tool" fixed={fixed} />
				{scope.value && <ScopePreview scope={scope.value} acts={!fixed} />}
				<McpServersField fixed={fixed} />
				<OptInField fixed={fixed} />
				<Further fixed={fixed} />
				<h2>{t("Usage")}</h2>
				<ExposureField fixed={fixed} />
				<OutputField fixed={fixed} />
				<VisibilityField fixed={fixed} />
				<ApprovalsField fixed={fixed} />
			</div>
		</form>
	);
}

function Head({ row, fixed }: { row: AgentRow | undefined; fixed: boolean }) {
	const shown = draft.value;
	return (
		<header class="editor-head">
			<Icon name={shown?.icon ?? "hubot"} class={agentColorClass(shown?.color)} />
			<h1>
				{cleanText(shown?.displayName ?? "") || t("New Agent")}
				{isCurrentUnsaved.value && <span class="dot" role="img" aria-label={t("Unsaved changes")} title={t("Unsaved changes")} />}
			</h1>
			<span class="head-buttons">
				{!fixed && (
					<button type="button" class="primary" aria-disabled={!isCurrentUnsaved.value} title={t("Save (Ctrl+S)")} onClick={saveDraft}>
						{t("Save")}
					</button>
				)}
				{!fixed && (
					<button type="button" class="secondary" aria-disabled={row !== undefined && !isCurrentUnsaved.value} onClick={revertDraft}>
						{row ? t("Revert") : t("Discard")}
					</button>
				)}
				{row && !fixed && (
					<button type="button" class="secondary" onClick={() => postIntent({ type: "duplicate", key: row.key })}>
						{t("Duplicate")}
					</button>
				)}
				{row?.editable && (
					<button type="button" class="secondary" onClick={() => removeAgent(row.key)}>
						{t("Delete")}
					</button>
				)}
			</span>
		</header>
	);
}

const WHY: Record<AgentRow["origin"], string> = {
	builtin: t("This agent is built in and can't be changed."),
	settings: t("This agent is defined in Settings. Edit it there."),
	workspace: t(
		"This agent is defined in a workspace file that you approved. If the file changes, you're asked to approve the agent again.",
	),
	own: "",
};

const APPROVED_TYPE = t(
	"This task type is defined in a workspace file that you approved. If the file changes, you're asked to approve it again.",
);

function Fixed({ row }: { row: AgentRow }) {
	return (
		<div class="banner">
			<Icon name="lock" />
			<div>
				<p>
					{row.task ? APPROVED_TYPE : WHY[row.origin]} {row.place && <span class="place">{cleanText(row.place)}</span>}
				</p>
				<div class="buttons">
					{!row.task && (
						<button type="button" class="secondary" onClick={() => postIntent({ type: "duplicate", key: row.key })}>
							{t("Duplicate to Edit")}
						</button>
					)}
					{row.origin !== "builtin" && (
						<button type="button" class="secondary" onClick={() => postIntent({ type: "open", key: row.key })}>
							{row.origin === "settings" ? t("Open settings.json") : t("Open File")}
						</button>
					)}
					{row.origin === "workspace" && (
						<button type="button" class="secondary" onClick={() => postIntent({ type: "disapprove", key: row.key })}>
							{t("Revoke Approval")}
						</button>
					)}
				</div>
			</div>
		</div>
	);
}

/** A problem that belongs to no field. */
function GeneralProblem() {
	const problem = problems.value.get("");
	if (problem === undefined) return null;
	return (
		<p id="f-" class="banner error" role="alert" tabIndex={-1}>
			<Icon name="error" />
			<span>{cleanText(problem)}</span>
		</p>
	);
}

const FURTHER: readonly ScopedKind[] = ["capability", "skill", "agent"];

function Further({ fixed }: { fixed: boolean }) {
	const now = draft.value;
	const cleared = (list: unknown) => list === null && now?.extends !== undefined && !fixed;
	const used = FURTHER.some((of) => {
		const [allow, deny] = [now?.[`${of}Allowlist`], now?.[`${of}Denylist`]];
		return allow || deny?.length || cleared(allow) || cleared(deny);
	});
	const wrong = FURTHER.some((of) => problems.value.has(`${of}Allowlist`) || problems.value.has(`${of}Denylist`));
	return (
		<details class="further" open={used || wrong}>
			<summary>{t("Capabilities, skills and agents")}</summary>
			<p class="field-hint">{t("Tools declare capabilities. Skills are matched by the plugin that provides them, agents by their ID.")}</p>
			{FURTHER.map((of) => (
				<ScopeFields key={of} of={of} fixed={fixed} />
			))}
		</details>
	);
}

/** Focuses the first problem on the page and opens the details element around it. */
function focusProblem(): void {
	const shown = document.querySelector<HTMLElement>(".banner.error, .field-problem");
	const field = shown?.closest<HTMLElement>(".field");
	field?.closest("details")?.setAttribute("open", "");
	const control = field?.querySelector<HTMLElement>("[aria-invalid]:not(fieldset), input:not(:disabled), select, textarea") ?? shown;
	// A control that already has the focus would not be announced again.
	if (control === document.activeElement) announcement.value = cleanText(shown?.textContent ?? "");
	control?.focus();
	control?.scrollIntoView({ block: "center" });
}

/** An unusable definition and the reason. */
export function BrokenAgentView({ row }: { row: BrokenRow }) {
	return (
		<article class="review" aria-label={cleanText(row.label)}>
			<header class="editor-head">
				<Icon name="error" class="row-error" />
				<h1>{cleanText(row.label)}</h1>
				<span class="place">{row.place && cleanText(row.place)}</span>
			</header>
			<div class="editor-body">
				<p class="banner error">
					<Icon name="error" />
					<span>{cleanText(row.problem)}</span>
				</p>
				<p>
					{row.task
						? t("This task type is ignored until its definition is fixed. Other types are not affected.")
						: t("This agent is ignored until its definition is fixed. Other agents are not affected.")}
				</p>
				<div class="buttons">
					<button type="button" class="secondary" onClick={() => postIntent({ type: "open", key: row.key })}>
						{row.origin === "settings" ? t("Open settings.json") : t("Open File")}
					</button>
				</div>
			</div>
		</article>
	);
}
