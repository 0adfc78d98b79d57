// Standing approvals on the page of agents: which entries can count, and that a person lets each new one count.
import type { AgentDraft } from "../../core/agent.ts";
import type { Services } from "../../session/context.ts";
import { t } from "../../shared/l10n.ts";

type Problem = { field: string; problem: string };

interface Doors {
	services: Pick<Services, "registry" | "grants">;
	/** A dialog of the editor's own: nothing on the page can answer it. */
	confirm(question: string, lines: readonly string[], button: string): Promise<boolean>;
}

export function createAgentApprovals({ services: { registry, grants }, confirm }: Doors) {
	function kept(agentId: string | undefined): readonly string[] {
		return registry.catalog().agents.find(({ definition }) => definition.agentId === agentId)?.definition.allowedTools ?? [];
	}

	return {
		/** What stands in its file already is the person's own affair: its notes say what of that does not count. */
		problems(draft: AgentDraft, agentId: string | undefined): Problem[] {
			const known = kept(agentId);
			return (draft.allowedTools ?? []).flatMap((entry, index): Problem[] => {
				const problem = known.includes(entry) ? undefined : grants.problem(entry);
				return problem === undefined ? [] : [{ field: `allowedTools.${index}`, problem }];
			});
		},
		/** False where the draft has new ones and the person does not want them after all. */
		async wanted(draft: AgentDraft, agentId: string | undefined): Promise<boolean> {
			const known = kept(agentId);
			const added = (draft.allowedTools ?? []).filter((entry) => !known.includes(entry));
			if (added.length === 0) return true;
			return confirm(t("Let “{0}” use these without asking?", draft.displayName), added, t("Save"));
		},
		/** The registry leaves standing approvals as they are: what is taken out takes with it what it covered. */
		async change(agentId: string, wanted: readonly string[]): Promise<void> {
			const known = kept(agentId);
			for (const entry of known.filter((one) => !wanted.includes(one))) await grants.revoke(agentId, entry);
			const added = wanted.filter((one) => !known.includes(one));
			if (added.length > 0) await grants.write(agentId, added);
		},
	};
}
