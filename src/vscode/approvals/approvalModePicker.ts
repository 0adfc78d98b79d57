// Quick Pick for the approval mode of the shown session, or the default.

// Only the user can open it.
import * as vscode from "vscode";
import { effectiveApprovalMode, isWithinCeiling } from "../../core/grant.ts";
import { APPROVAL_MODES, type ApprovalMode } from "../../core/role.ts";
import type { Session } from "../../session/session.ts";
import { t } from "../../shared/l10n.ts";
import { approvalModeDetail, approvalModeName } from "../../shared/permissionLabels.ts";
import { escapeLabel } from "../../shared/safeText.ts";

type Item = vscode.QuickPickItem & { mode?: ApprovalMode | "default"; other?: "default" | "settings" };

export async function pickApprovalMode(session: Session): Promise<void> {
	const { state, policy } = session;
	const settings = policy.settings();
	const effective = effectiveApprovalMode(state, settings);
	const fallback = approvalModeName(effectiveApprovalMode({}, settings));
	const rest: Item[] = [
		{ label: "", kind: vscode.QuickPickItemKind.Separator },
		...(state.approval === undefined
			? []
			: [{ label: t("$(discard) Use the Default"), description: fallback, mode: "default" as const, alwaysShow: true }]),
		{ label: t("$(settings-gear) Change the Default…"), description: fallback, other: "default", alwaysShow: true },
		{ label: t("$(gear) Configure Approvals…"), other: "settings", alwaysShow: true },
	];
	const placeHolder = t("When this session asks for your approval");
	const picked = await pick([...modes(effective, settings.approvalCeiling), ...rest], t("Approval Mode"), placeHolder);
	if (picked?.other === "settings") await vscode.commands.executeCommand("workbench.action.openSettings", "troupe.approval");
	else if (picked?.other === "default") await changeDefault(settings);
	else if (picked?.mode) await session.setApproval(picked.mode);
}

async function changeDefault(settings: { approval: ApprovalMode; approvalCeiling?: ApprovalMode }): Promise<void> {
	const title = t("Default Approval Mode");
	const placeHolder = t("For sessions without their own approval mode");
	const picked = await pick(modes(effectiveApprovalMode({}, settings), settings.approvalCeiling), title, placeHolder);
	if (!picked?.mode) return;
	await vscode.workspace.getConfiguration("troupe").update("approval", picked.mode, vscode.ConfigurationTarget.Global);
}

async function pick(items: readonly Item[], title: string, placeHolder: string): Promise<Item | undefined> {
	return vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true });
}

/** Modes above the ceiling are not offered; a separator explains why. */
function modes(current: ApprovalMode, ceiling: ApprovalMode = "auto"): Item[] {
	const offered = APPROVAL_MODES.filter((mode) => isWithinCeiling(mode, ceiling));
	const listed = offered.map((mode): Item => {
		const mark = mode === current ? "$(check)" : "$(blank)";
		return { label: `${mark} ${approvalModeName(mode)}`, detail: approvalModeDetail(mode), mode };
	});
	if (offered.length === APPROVAL_MODES.length) return listed;
	return [
		...listed,
		{
			label: escapeLabel(t("Limited to “{0}” by the settings on this machine", approvalModeName(ceiling))),
			kind: vscode.QuickPickItemKind.Separator,
		},
	];
}
