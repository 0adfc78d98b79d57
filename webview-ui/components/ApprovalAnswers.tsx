// The answers to an approval: how long each counts, and exactly what it covers.
import { useRef } from "preact/hooks";
import type { Answer, EventOf } from "../../src/core/events.ts";
import { t } from "../../src/l10n.ts";
import type { IntentCommand } from "../../src/protocol.ts";
import { command } from "../host.ts";
import { visibleLine } from "../visible.ts";

type Asked = EventOf<"asked">;

interface Answers {
	event: Asked;
	/** A command that is to run outside the sandbox. */
	outside: boolean;
	/** They do not count yet, or one was given. */
	disabled: boolean;
	give(answer: Answer): (cause: Event) => void;
}

export function ApprovalAnswers({ event, outside, disabled, give }: Answers) {
	const reason = useRef<HTMLInputElement>(null);
	const deny = (cause: Event) => {
		const why = reason.current?.value.trim();
		give(why ? { allow: false, reason: why } : { allow: false })(cause);
	};
	// What is not shown whole is approved this once.
	const lasts = event.view?.kind !== "change" || !event.view.unshown;
	const session = lasts ? coveredBy(event.session) : undefined;
	const always = lasts ? coveredBy(event.always) : undefined;
	const often = event.often && (event.often.ends !== "always" || always) ? event.often : undefined;
	const button = { type: "button" as const, class: "secondary", "aria-disabled": disabled };
	const alwaysHere = always && (
		<button {...button} title={always} onClick={give({ allow: true, scope: "always" })}>
			{t("Always Allow Here")}
		</button>
	);
	return (
		<>
			{(session || always) && (
				<div class="secondary-text covers">
					{session && <p>{session}</p>}
					{always && <p>{session ? t("Always here: the same in every session of this agent in this workspace.") : always}</p>}
				</div>
			)}
			<div class="buttons">
				<button {...button} title={t("Allows this call only.")} onClick={give({ allow: true })}>
					{outside ? t("Run Outside the Sandbox") : t("Allow")}
				</button>
				{session && (
					<button {...button} title={session} onClick={give({ allow: true, scope: "session" })}>
						{t("Allow in This Session")}
					</button>
				)}
				{often?.ends !== "always" && alwaysHere}
				<button {...button} onClick={deny}>
					{t("Deny")}
				</button>
				<input
					ref={reason}
					class="reason"
					aria-label={t("Reason")}
					placeholder={t("Reason for a denial")}
					maxLength={2_000}
					onKeyDown={(key) => {
						if (key.key === "Enter" && !key.isComposing) deny(key);
					}}
				/>
			</div>
			{often && (
				<div class="secondary-text often">
					<span>{visibleLine(often.text)}</span>
					{often.ends === "always" ? alwaysHere : <SettingButton ends={often.ends} />}
				</div>
			)}
		</>
	);
}

type Setting = Exclude<NonNullable<Asked["often"]>["ends"], "always">;

const SETTINGS: Record<Setting, { command: IntentCommand; label: () => string }> = {
	approval: { command: "approvalSetting", label: () => t("Change What Asks") },
	permissions: { command: "permissionsSetting", label: () => t("Change Rules") },
};

function SettingButton({ ends }: { ends: Setting }) {
	const { command: name, label } = SETTINGS[ends];
	return (
		<button type="button" class="link" onClick={() => command(name)}>
			{label()}
		</button>
	);
}

function coveredBy(sentences: readonly string[] | undefined): string | undefined {
	return sentences?.length ? sentences.map(visibleLine).join(" ") : undefined;
}
