// Renders the review of a workspace agent definition: its text, its abilities and the approval.

import { formatList, t } from "../../src/shared/l10n.ts";
import type { AgentDetail, UnapprovedRow } from "../../src/shared/protocol/agents.ts";
import { Diff } from "../components/cards/Diff.tsx";
import { useAnswerDelay } from "../components/cards/useAnswerDelay.ts";
import { ExactText } from "../components/conversation/Text.tsx";
import { Icon } from "../components/Icon.tsx";
import { escapeHiddenCharacters } from "../text/displayText.ts";
import { postApproval, postIntent } from "./host.ts";
import { ScopePreview } from "./ScopePreview.tsx";

type Waiting = Extract<AgentDetail, { kind: "waiting" }>;

export function AgentReview({ row, detail }: { row: UnapprovedRow; detail: Waiting }) {
	const { isReady, accepts } = useAnswerDelay();
	const facts: [string, string][] = [
		[t("Roles"), detail.roles],
		[t("Role permissions"), detail.may],
		[t("MCP servers"), detail.servers.length > 0 ? formatList(detail.servers.map(escapeHiddenCharacters)) : t("None")],
	];
	return (
		<article class="review" aria-label={t("Review {0}", escapeHiddenCharacters(row.label))}>
			<header class="editor-head">
				<Icon name="shield" class="row-warning" />
				<h1>{escapeHiddenCharacters(row.label)}</h1>
				<span class="place">{row.place && escapeHiddenCharacters(row.place)}</span>
			</header>
			<div class="editor-body">
				<p class="banner warning">
					<Icon name="warning" />
					<span>{WHY[row.task ? "task" : "agent"][row.changed ? "changed" : "unknown"]}</span>
				</p>
				{detail.diff && (
					<section>
						<h2>{t("What changed")}</h2>
						<Diff diff={detail.diff} label={t("Changes in {0}", escapeHiddenCharacters(row.place ?? row.label))} />
					</section>
				)}
				<section>
					<h2>{t("File contents")}</h2>
					<ExactText text={detail.text} label={t("File contents")} />
				</section>
				<section>
					<h2>{row.task ? t("What tasks of this type can do") : t("What this agent can do")}</h2>
					<dl class="facts">
						{facts.map(([name, value]) => (
							<div key={name}>
								<dt>{name}</dt>
								<dd>{escapeHiddenCharacters(value)}</dd>
							</div>
						))}
					</dl>
					<ScopePreview scope={detail.scope} acts={false} />
				</section>
				{detail.ignored.map((note) => (
					<p key={note} class="banner">
						<Icon name="info" />
						<span>{escapeHiddenCharacters(note)}</span>
					</p>
				))}
				<div class="buttons">
					<button
						type="button"
						class="secondary"
						aria-disabled={!isReady}
						onClick={(click) => {
							if (accepts(click)) postApproval(click, row.key, detail.hash);
						}}
					>
						{t("Approve")}
					</button>
					<button type="button" class="secondary" onClick={() => postIntent({ type: "open", key: row.key })}>
						{t("Open File")}
					</button>
				</div>
			</div>
		</article>
	);
}

const WHY = {
	agent: {
		changed: t("This agent has changed since you approved it. Review and approve it again before use."),
		unknown: t("This agent is defined in the workspace. Review and approve it before use."),
	},
	task: {
		changed: t("This task type has changed since you approved it. Review and approve it again before use."),
		unknown: t("This task type is defined in the workspace. Review and approve it before use."),
	},
};
