// What a person can do with a block of code: copy it, put it where the cursor is, propose it as a change to a file.
import { t } from "../../src/shared/l10n.ts";
import { announceWords } from "../focus/announce.ts";
import { act } from "../host.ts";
import type { CodeAct } from "./code.ts";

/** To be called for a click of the person on a button of a block's bar. */
export function actOnCode(button: HTMLElement): void {
	const block = button.closest<HTMLElement>(".code");
	const code = block?.querySelector("pre")?.textContent ?? "";
	const file = block?.dataset["file"];
	const acts: Record<CodeAct, () => void> = {
		copy: () => void copied(button, code),
		insert: () => act("insertCode", { code }),
		apply: () => act("applyCode", { code, ...(file !== undefined && { file }) }),
	};
	const chosen = button.dataset["act"] as CodeAct;
	if (Object.hasOwn(acts, chosen)) acts[chosen]();
}

/** Into the clipboard; the button says so for a moment. */
export async function copied(button: HTMLElement, text: string): Promise<void> {
	await navigator.clipboard.writeText(text);
	announceWords(t("Copied"));
	const icon = button.matches(".codicon") ? button : button.querySelector(".codicon");
	icon?.classList.replace("codicon-copy", "codicon-check");
	setTimeout(() => icon?.classList.replace("codicon-check", "codicon-copy"), 1_500);
}
