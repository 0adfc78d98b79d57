// Asks for the agent, the context and the message of a switch with context.
import * as vscode from "vscode";
import type { Carry } from "../../core/caller.ts";
import { currentPlan } from "../../core/transcript/state.ts";
import type { SwitchRequest } from "../../delegation/switch/agentSwitch.ts";
import { listSwitchTargets } from "../../delegation/switch/agentSwitchTool.ts";
import type { Session } from "../../session/session.ts";
import { t } from "../../shared/l10n.ts";
import { escapeMessage } from "../../shared/safeText.ts";
import type { Engine } from "../engine.ts";
import { showNotification } from "../notifications.ts";
import { pickAgent } from "../pickers.ts";

/** Resolves to undefined if the user cancels it, or in Restricted Mode. */
export async function pickAgentSwitch(engine: Engine, source: Session): Promise<SwitchRequest | undefined> {
	const { services, policy } = engine.sessions;
	const restricted = services.restricted();
	if (restricted !== undefined) return void showNotification("warning", restricted);
	const targets = listSwitchTargets(policy);
	const title = t("Switch Agent with Context");
	const agent = await pickAgent(engine, source.state.agent, { title, agents: targets.map(({ agentId }) => agentId) });
	const carry = agent === undefined ? undefined : await pickCarry(title, currentPlan(source.state) !== undefined);
	if (agent === undefined || carry === undefined) return undefined;
	const name = targets.find(({ agentId }) => agentId === agent)?.displayName ?? agent;
	const prompt = escapeMessage(t("Message to {0}", name));
	const message = await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
	return message?.trim() ? { agent, carry, message } : undefined;
}

async function pickCarry(title: string, hasPlan: boolean): Promise<Carry | undefined> {
	const items: (vscode.QuickPickItem & { carry: Carry })[] = [
		{ carry: "none", label: t("None"), detail: t("Only your message is sent") },
		{ carry: "summary", label: t("Summary"), detail: t("The model of this session summarizes the conversation") },
		...(hasPlan ? [{ carry: "plan" as const, label: t("Plan"), detail: t("The current plan, with the state of its steps") }] : []),
		{ carry: "all", label: t("Whole Conversation"), detail: t("As text, the newest part first, up to half of the model's context window") },
	];
	return (await vscode.window.showQuickPick(items, { title, placeHolder: t("Select what goes along") }))?.carry;
}
