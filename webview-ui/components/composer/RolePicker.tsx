// The role as a segmented control: arrows move, Space or a click selects.
import { useRef, useState } from "preact/hooks";
import { t } from "../../../src/shared/l10n.ts";
import { keybindingLabel } from "../../focus/keybindings.ts";
import { postSessionIntent } from "../../host.ts";
import { chatStatus, transcript } from "../../state.ts";

export function RolePicker() {
	const group = useRef<HTMLDivElement>(null);
	const [focused, setFocused] = useState<string | undefined>(undefined);
	const status = chatStatus.value;
	if (!status) return null;
	const current = transcript.value.folded.seq > 0 ? transcript.value.folded.role : (status.session?.role ?? "");
	const shown = status.roles.filter((role) => role.primary || role.id === current);
	const tabStop = focused ?? (shown.some((role) => role.id === current) ? current : shown[0]?.id);

	const move = (key: KeyboardEvent) => {
		const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key.key];
		if (by === undefined) return;
		key.preventDefault();
		const at = shown.findIndex((role) => role.id === tabStop);
		const next = (at + by + shown.length) % shown.length;
		setFocused(shown[next]?.id);
		group.current?.querySelectorAll<HTMLElement>("[role=radio]")[next]?.focus();
	};
	return (
		<div class="roles">
			<div
				ref={group}
				role="radiogroup"
				aria-label={t("Role")}
				class="segmented"
				onKeyDown={move}
				onFocusOut={(out) => {
					if (!group.current?.contains(out.relatedTarget as Node | null)) setFocused(undefined);
				}}
			>
				{shown.map((role) => (
					<button
						key={role.id}
						type="button"
						{...radio(role.id === current)}
						tabIndex={role.id === tabStop ? 0 : -1}
						title={t("{0} ({1} to switch)", role.label, keybindingLabel("Ctrl+K Shift+R"))}
						onKeyDown={(key) => {
							// Enter also clicks a button, but radios are selected by Space.
							if (key.key === "Enter") key.preventDefault();
						}}
						onClick={() => postSessionIntent("role", { role: role.id })}
					>
						{role.label}
					</button>
				))}
			</div>
			<button
				type="button"
				class="icon-button narrow"
				aria-label={t("More roles")}
				title={t("More roles")}
				onClick={() => postSessionIntent("moreRoles", {})}
			>
				<span aria-hidden="true" class="codicon codicon-chevron-down" />
			</button>
		</div>
	);
}

/** Native radios select on every arrow key, which would switch the session's role each time. */
function radio(checked: boolean) {
	return { role: "radio", "aria-checked": checked } as const;
}
