// Offers to continue a background task in a wider role of its caller, with what the task was denied.
import { formatList, t } from "../../../src/shared/l10n.ts";
import type { WiderRoleOffer } from "../../../src/shared/protocol/chat.ts";
import { postContinueAs } from "../../host.ts";
import { chatStatus, sessionId } from "../../state.ts";
import { visibleLine } from "../../text/displayText.ts";
import { useAnswerDelay } from "../cards/useAnswerDelay.ts";
import { Icon } from "../Icon.tsx";

export function findOffer(task: string): WiderRoleOffer | undefined {
	return chatStatus.value?.wider?.find((offer) => offer.task === task);
}

export function DeniedCalls({ offer: { limitedBy, calls, more } }: { offer: WiderRoleOffer }) {
	const list = `${formatList(calls.map(visibleLine))}${more ? "…" : ""}`;
	const text =
		limitedBy === undefined
			? t("The task's permissions didn't allow: {0}", list)
			: t("The role {0} didn't allow: {1}", visibleLine(limitedBy), list);
	return (
		<div class="task-changes warns">
			<Icon name="lock" />
			<span>{text}</span>
		</div>
	);
}

export function ContinueAs({ offer: { task, role }, name, primary }: { offer: WiderRoleOffer; name: string; primary: boolean }) {
	const { isReady, accepts } = useAnswerDelay();
	const label = t("Continue as {0}", visibleLine(role.label));
	const full = t("{0}: {1}", label, name);
	return (
		<button
			type="button"
			class={primary ? "primary" : "secondary"}
			aria-label={full}
			title={full}
			aria-disabled={!isReady}
			onClick={(click) => {
				if (accepts(click)) postContinueAs(click, task, role.id);
			}}
		>
			{label}
		</button>
	);
}

/** Shows a task's own offer in its chat, above the composer. */
export function OwnWiderRole() {
	const offer = findOffer(sessionId.value ?? "");
	if (!offer) return null;
	const name = visibleLine(chatStatus.value?.session?.name ?? t("this task"));
	return (
		<section class="banner task-panel" aria-label={t("Denied in {0}", name)}>
			<DeniedCalls offer={offer} />
			<div class="buttons">
				<ContinueAs offer={offer} name={name} primary />
			</div>
		</section>
	);
}
