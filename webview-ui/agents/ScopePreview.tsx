// Renders the tools that result from an agent's lists, and the list that excludes each other tool.

// Updated while the user types; the host asks the gate.

import { formatList, formatNumber, t } from "../../src/shared/l10n.ts";
import type { ScopeExclusionGroup, ScopeGroup, ScopeSummary } from "../../src/shared/protocol/agents.ts";
import { Icon } from "../components/Icon.tsx";
import { escapeHiddenCharacters } from "../text/displayText.ts";
import { draft, editDraft } from "./state.ts";

/** Maximum names shown per group; the rest are counted. */
const MAX_NAMES = 60;

/** `acts`: show buttons that change the draft. */
export function ScopePreview({ scope, acts }: { scope: ScopeSummary; acts: boolean }) {
	return (
		<section class="scope" aria-label={t("Resulting tools")}>
			<p class="scope-sum" role="status">
				<b>{t("{0} of {1} tools", formatNumber(scope.offered), formatNumber(scope.total))}</b>
				<span class="scope-roles">
					{scope.roles.map(({ id, label, tools }) => (
						<span key={id} title={t("As {0}, this agent can use {1} of these tools", escapeHiddenCharacters(label), formatNumber(tools))}>
							{escapeHiddenCharacters(label)} {formatNumber(tools)}
						</span>
					))}
				</span>
			</p>
			{scope.shut.map(({ name, pattern }) => (
				<p key={name} class="scope-note">
					<Icon name="warning" class="small-icon" />
					<span>
						{t("Its allowed tools exclude every tool of {0}.", escapeHiddenCharacters(name))}{" "}
						{acts && (
							<button
								type="button"
								class="link"
								onClick={() => editDraft({ toolAllowlist: [...(draft.value?.toolAllowlist ?? []), pattern] })}
							>
								{t("Add {0}", escapeHiddenCharacters(pattern))}
							</button>
						)}
					</span>
				</p>
			))}
			{scope.idle.length > 0 && (
				<p class="scope-note">
					<Icon name="warning" class="small-icon" />
					<span>{t("Matches no tools: {0}", formatList(scope.idle.map(escapeHiddenCharacters)))}</span>
				</p>
			)}
			{scope.groups.map((group) => (
				<Group key={group.plugin} group={group} />
			))}
			{scope.unknown.length > 0 && (
				<p class="field-hint">
					{t("Tools of {0} become known after the first start.", formatList(scope.unknown.map(escapeHiddenCharacters)))}
				</p>
			)}
		</section>
	);
}

function Group({ group }: { group: ScopeGroup }) {
	const total = group.offered.length + group.cut.reduce((sum, { tools }) => sum + tools.length, 0);
	return (
		<div class="scope-group">
			<div class="scope-head">
				<span class="scope-plugin">{escapeHiddenCharacters(group.label)}</span>
				<span class="figure">{t("{0} of {1}", formatNumber(group.offered.length), formatNumber(total))}</span>
			</div>
			{group.offered.length > 0 && <Names names={group.offered} icon="check" />}
			{group.cut.map((loss) => (
				<div key={`${loss.list} ${loss.pattern}`} class="scope-cut">
					<Names names={loss.tools} icon="close" />
					<span class="scope-why">{whyOf(loss)}</span>
				</div>
			))}
		</div>
	);
}

function Names({ names, icon }: { names: readonly string[]; icon: "check" | "close" }) {
	return (
		<div class={`scope-names ${icon}`}>
			<Icon name={icon} class="small-icon" />
			<span class="sr-only">{icon === "check" ? t("Available:") : t("Unavailable:")}</span>
			<span>
				{names.slice(0, MAX_NAMES).map((name) => (
					<>
						<code key={name}>{escapeHiddenCharacters(name)}</code>{" "}
					</>
				))}
				{names.length > MAX_NAMES && t("and {0} more", formatNumber(names.length - MAX_NAMES))}
			</span>
		</div>
	);
}

const LISTS: Record<ScopeExclusionGroup["list"], (pattern: string) => string> = {
	toolAllowlist: () => t("Tools: not allowed"),
	toolDenylist: (pattern) => t("Tools: denied by {0}", pattern),
	capabilityAllowlist: () => t("Capabilities: not allowed"),
	capabilityDenylist: (pattern) => t("Capabilities: denied by {0}", pattern),
	skillAllowlist: () => t("Skills: not allowed"),
	skillDenylist: (pattern) => t("Skills: denied by {0}", pattern),
	agentAllowlist: () => t("Agents: not allowed"),
	agentDenylist: (pattern) => t("Agents: denied by {0}", pattern),
	optIn: () => t("Opt-in plugins: not named"),
	plugins: () => t("Not for this built-in agent"),
};

/** "Capabilities: not allowed (files.write)". */
function whyOf({ list, pattern = "", capabilities }: ScopeExclusionGroup): string {
	if (list === "capabilityAllowlist" && capabilities.length > 0)
		return t("Capabilities: not allowed ({0})", formatList(capabilities.map(escapeHiddenCharacters)));
	return LISTS[list](escapeHiddenCharacters(pattern));
}
