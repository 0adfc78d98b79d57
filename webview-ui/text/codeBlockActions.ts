// Copies a code block, inserts it at the cursor, or proposes it as a change to a file.

// Separate from the block itself, because "Manage Agents" also shows code and has another host.
import { t } from "../../src/shared/l10n.ts";
import { announceText } from "../focus/announce.ts";
import { postSessionIntent } from "../host.ts";
import type { CodeBlockAction } from "./codeBlock.ts";

/** Call for a user's click on a button of a block's bar. */
export function runCodeBlockAction(button: HTMLElement): void {
	const block = button.closest<HTMLElement>(".code");
	const code = block?.querySelector("pre")?.textContent ?? "";
	const file = block?.dataset["file"];
	const actions: Record<CodeBlockAction, () => void> = {
		copy: () => void copyCode(button, code),
		insert: () => postSessionIntent("insertCode", { code }),
		apply: () => postSessionIntent("applyCode", { code, ...(file !== undefined && { file }) }),
	};
	const action = button.dataset["act"] as CodeBlockAction;
	if (Object.hasOwn(actions, action)) actions[action]();
}

/** Copies to the clipboard; the button confirms it briefly. */
async function copyCode(button: HTMLElement, text: string): Promise<void> {
	await navigator.clipboard.writeText(text);
	announceText(t("Copied"));
	const icon = button.matches(".codicon") ? button : button.querySelector(".codicon");
	icon?.classList.replace("codicon-copy", "codicon-check");
	setTimeout(() => icon?.classList.replace("codicon-check", "codicon-copy"), 1_500);
}
