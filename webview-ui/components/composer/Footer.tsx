// Renders the status line: context usage, session cost and approval mode, each with a tooltip.

import { t } from "../../../src/shared/l10n.ts";
import { approvalModeDetail, approvalModeName } from "../../../src/shared/permissionLabels.ts";
import { keybindingLabel } from "../../focus/keybindings.ts";
import { postCommand } from "../../host.ts";
import { chatStatus, contextUsage, transcript } from "../../state.ts";
import { Icon } from "../Icon.tsx";
import { ContextMeter, SessionCost } from "./ContextMeter.tsx";
import { TooltipButton } from "./TooltipButton.tsx";

const CHANGE = keybindingLabel("Ctrl+K Shift+M");

export function Footer() {
	const { approval: mode, approvalOwn, session } = chatStatus.value ?? {};
	const begun = (session?.messageCount ?? 0) > 0 || transcript.value.folded.messages > 0;
	const use = begun ? contextUsage.value : undefined;
	return (
		<div class="footer">
			{use && <ContextMeter use={use} />}
			{use && <SessionCost use={use} />}
			<span class="spacer" />
			{mode !== undefined && (
				<TooltipButton
					label={t("Approval mode: {0}", approvalModeName(mode))}
					face={
						<>
							<Icon name="shield" class="small" />
							<span class="approval-name">{approvalModeName(mode)}</span>
							<Icon name="chevron-down" class="small" />
						</>
					}
					class="approval-mode"
					onClick={() => postCommand("switchMode")}
				>
					<span>{approvalModeDetail(mode)}</span>
					<span class="tip-note">
						{approvalOwn
							? t("Set for this session. Click or press {0} to change the mode.", CHANGE)
							: t("Uses the default. Click or press {0} to change the mode.", CHANGE)}
					</span>
				</TooltipButton>
			)}
		</div>
	);
}
