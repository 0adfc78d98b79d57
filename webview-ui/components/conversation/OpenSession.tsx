// A button that shows another session in this chat.

import { t } from "../../../src/shared/l10n.ts";
import { postIntent } from "../../host.ts";
import { chatStatus } from "../../state.ts";

interface Props {
	session: string;
	/** Name that the button's label contains; the session's title if absent. */
	name?: string;
	/** A shorter text where the button is beside the name. */
	label?: string;
	/** It exists, whether or not the status names it. */
	exists?: boolean;
	class?: string;
}

export function OpenSession({ session, name, label, exists = false, class: style = "secondary" }: Props) {
	const title = chatStatus.value?.linked?.[session];
	const reason = title === undefined && !exists ? t("This session was deleted.") : undefined;
	const full = t("Open {0}", name ?? title ?? t("session"));
	return (
		<button
			type="button"
			class={style}
			aria-label={full}
			aria-disabled={reason !== undefined}
			title={reason ?? (label && full)}
			aria-description={reason}
			onClick={() => reason === undefined && postIntent({ type: "openSession", session })}
		>
			{label ?? full}
		</button>
	);
}
