// What the lists come to, as they are typed: tools that result, and which list cuts the others. The host asks the gate.

import { shownList, shownNumber, t } from "../../src/shared/l10n.ts";
import type { Scope, ScopeGroup, ScopeLoss } from "../../src/shared/protocol/agents.ts";
import { Icon } from "../components/Icon.tsx";
import { answeredText } from "../text/visible.ts";
import { draft, editDraft } from "./state.ts";

/** Names of a group that show; the rest are counted. */
const SHOWN = 60;

/** `acts`: with buttons that change the draft. */
export function ScopePreview({ scope, acts }: { scope: Scope; acts: boolean }) {
	return (
		<section class="scope" aria-label={t("Resulting tools")}>
			<p class="scope-sum" role="status">
				<b>{t("{0} of {1} tools", shownNumber(scope.offered), shownNumber(scope.total))}</b>
				<span class="scope-roles">
					{scope.roles.map(({ id, label, tools }) => (
						<span key={id} title={t("As {0} it is offered {1} of them", answeredText(label), shownNumber(tools))}>
							{answeredText(label)} {shownNumber(tools)}
						</span>
					))}
				</span>
			</p>
			{scope.shut.map(({ name, pattern }) => (
				<p key={name} class="scope-note">
					<Icon name="warning" class="small-icon" />
					<span>
						{t("What it may use leaves out every tool of {0}.", answeredText(name))}{" "}
						{acts && (
							<button
								type="button"
								class="link"
								onClick={() => editDraft({ toolAllowlist: [...(draft.value?.toolAllowlist ?? []), pattern] })}
							>
								{t("Add {0}", answeredText(pattern))}
							</button>
						)}
					</span>
				</p>
			))}
			{scope.idle.length > 0 && (
				<p class="scope-note">
					<Icon name="warning" class="small-icon" />
					<span>{t("Matches no tool: {0}", shownList(scope.idle.map(answeredText)))}</span>
				</p>
			)}
			{scope.groups.map((group) => (
				<Group key={group.plugin} group={group} />
			))}
			{scope.unknown.length > 0 && (
				<p class="field-hint">{t("Tools known only after a first start: those of {0}.", shownList(scope.unknown.map(answeredText)))}</p>
			)}
		</section>
	);
}

function Group({ group }: { group: ScopeGroup }) {
	const total = group.offered.length + group.cut.reduce((sum, { tools }) => sum + tools.length, 0);
	return (
		<div class="scope-group">
			<div class="scope-head">
				<span class="scope-plugin">{answeredText(group.label)}</span>
				<span class="figure">{t("{0} of {1}", shownNumber(group.offered.length), shownNumber(total))}</span>
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
			<span class="sr-only">{icon === "check" ? t("Offered:") : t("Not offered:")}</span>
			<span>
				{names.slice(0, SHOWN).map((name) => (
					<>
						<code key={name}>{answeredText(name)}</code>{" "}
					</>
				))}
				{names.length > SHOWN && t("and {0} more", shownNumber(names.length - SHOWN))}
			</span>
		</div>
	);
}

const LISTS: Record<ScopeLoss["list"], (pattern: string) => string> = {
	toolAllowlist: () => t("Tools: not allowed"),
	toolDenylist: (pattern) => t("Tools: deny {0}", pattern),
	capabilityAllowlist: () => t("Capabilities: not allowed"),
	capabilityDenylist: (pattern) => t("Capabilities: deny {0}", pattern),
	skillAllowlist: () => t("Skills: not allowed"),
	skillDenylist: (pattern) => t("Skills: deny {0}", pattern),
	agentAllowlist: () => t("Agents: not allowed"),
	agentDenylist: (pattern) => t("Agents: deny {0}", pattern),
};

/** "Capabilities: not allowed (files.write)". */
function whyOf({ list, pattern = "", capabilities }: ScopeLoss): string {
	const why = LISTS[list](answeredText(pattern));
	return capabilities.length > 0 && pattern === "" ? `${why} (${shownList(capabilities.map(answeredText))})` : why;
}
