// The answers to an approval: the duration of each and exactly what it covers.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Answer, EventOf } from "../../../src/core/events.ts";
import { t } from "../../../src/shared/l10n.ts";
import type { IntentCommand } from "../../../src/shared/protocol/chat.ts";
import { ALLOW_KEYBINDING, DENY_KEYBINDING, keybindingLabel } from "../../focus/keybindings.ts";
import { postCommand, postRunInTerminal } from "../../host.ts";
import { visibleLine } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";

type Asked = EventOf<"asked">;

interface Answers {
	event: Asked;
	/** Id of its session, if that is not the shown one. */
	session: string | undefined;
	/** The command would run outside the sandbox. */
	outside: boolean;
	/** Answers are not accepted yet, or one was given. */
	disabled: boolean;
	give(answer: Answer): (cause: Event) => void;
}

export function ApprovalAnswers({ event, session: ofSession, outside, disabled, give }: Answers) {
	const [shown, show] = useState<"scopes" | "reason">();
	const more = useRef<HTMLButtonElement>(null);
	// A change that is not shown in full can only be allowed once.
	const canPersist = event.view?.kind !== "change" || !event.view.unshown;
	const session = canPersist ? coverageText(event.session) : undefined;
	const always = canPersist ? coverageText(event.always) : undefined;
	const often = event.often && (event.often.ends !== "always" || always) ? event.often : undefined;
	const scopes = scopesOf(session, often?.ends === "always" ? undefined : always);
	if (shown === "reason") return <Denial disabled={disabled} give={give} back={() => show(undefined)} />;
	const open = shown === "scopes";
	const closeOnEscape = (key: KeyboardEvent) => {
		if (key.key !== "Escape" || !open) return;
		show(undefined);
		more.current?.focus();
	};
	const button = { type: "button" as const, "aria-disabled": disabled };
	return (
		<>
			<div class="buttons">
				<div class="split">
					<button
						{...button}
						class="primary"
						title={t("Allow Once ({0})", keybindingLabel(ALLOW_KEYBINDING))}
						onClick={give({ allow: true })}
					>
						{outside ? t("Run Outside the Sandbox") : t("Allow")}
					</button>
					{scopes.length > 0 && (
						<button
							ref={more}
							type="button"
							class="primary"
							aria-label={t("More Ways to Allow")}
							title={t("More Ways to Allow")}
							aria-expanded={open}
							onKeyDown={closeOnEscape}
							onClick={() => show(open ? undefined : "scopes")}
						>
							<Icon name={open ? "chevron-up" : "chevron-down"} />
						</button>
					)}
				</div>
				<button
					{...button}
					class="secondary"
					title={t("Deny ({0} to deny without a reason)", keybindingLabel(DENY_KEYBINDING))}
					onClick={() => !disabled && show("reason")}
				>
					{t("Deny")}
				</button>
				{event.terminal && (
					<button
						{...button}
						class="secondary"
						title={t("Types the command into your terminal. Press Enter there to run the command.")}
						onClick={(cause) => !disabled && postRunInTerminal(cause, { session: ofSession, request: event.request, hash: event.hash })}
					>
						{t("Run in Terminal")}
					</button>
				)}
			</div>
			{open && (
				<div class="scopes">
					{scopes.map((scope) => (
						<ScopeButton key={scope.name} scope={scope} disabled={disabled} give={give} onKey={closeOnEscape} />
					))}
				</div>
			)}
			{often && (
				<div class="secondary-text often">
					<span>{visibleLine(often.text)}</span>
					{often.ends === "always" ? (
						<button {...button} class="secondary" title={always} onClick={give({ allow: true, scope: "always" })}>
							{t("Always Allow Here")}
						</button>
					) : (
						<SettingButton ends={often.ends} />
					)}
				</div>
			)}
		</>
	);
}

interface Scope {
	name: string;
	covers: string;
	/** Shorter text for a button below another with the same coverage. */
	briefly?: string;
	answer: Answer;
}

function scopesOf(session: string | undefined, always: string | undefined): Scope[] {
	const scopes: Scope[] = [];
	if (session) scopes.push({ name: t("Allow in This Session"), covers: session, answer: { allow: true, scope: "session" } });
	if (!always) return scopes;
	const briefly = session && t("Allows the same in every session of this agent in this workspace.");
	scopes.push({
		name: t("Always Allow Here"),
		covers: always,
		answer: { allow: true, scope: "always" },
		...(briefly && { briefly }),
	});
	return scopes;
}

/** The button's name is the duration; the coverage is its description. */
interface ScopeProps extends Pick<Answers, "disabled" | "give"> {
	scope: Scope;
	onKey(key: KeyboardEvent): void;
}

function ScopeButton({ scope, disabled, give, onKey }: ScopeProps) {
	const { name, covers, briefly = covers, answer } = scope;
	return (
		<button
			type="button"
			class="option scope"
			aria-label={name}
			aria-description={covers}
			title={covers}
			aria-disabled={disabled}
			onClick={give(answer)}
			onKeyDown={onKey}
		>
			<span class="option-words">
				<span>{name}</span>
				<span class="option-description covers">{briefly}</span>
			</span>
		</button>
	);
}

/** The first click on Deny shows an input for an optional reason; the second denies. */
function Denial({ disabled, give, back }: Pick<Answers, "disabled" | "give"> & { back(): void }) {
	const reason = useRef<HTMLInputElement>(null);
	useLayoutEffect(() => reason.current?.focus(), []);
	const deny = (cause: Event) => {
		const why = reason.current?.value.trim();
		give(why ? { allow: false, reason: why } : { allow: false })(cause);
	};
	return (
		<div class="buttons">
			<input
				ref={reason}
				class="reason"
				aria-label={t("Reason")}
				placeholder={t("Tell the agent why (optional)")}
				maxLength={2_000}
				onKeyDown={(key) => {
					if (key.isComposing) return;
					// The card's keyboard shortcuts would allow the request.
					key.stopPropagation();
					if (key.key === "Enter") deny(key);
					if (key.key === "Escape") back();
				}}
			/>
			<button type="button" class="primary" aria-disabled={disabled} onClick={deny}>
				{t("Deny")}
			</button>
			<button type="button" class="secondary" onClick={back}>
				{t("Back")}
			</button>
		</div>
	);
}

type Setting = Exclude<NonNullable<Asked["often"]>["ends"], "always">;

const SETTINGS: Record<Setting, { command: IntentCommand; label: () => string }> = {
	approval: { command: "approvalSetting", label: () => t("Configure Approvals") },
	permissions: { command: "permissionsSetting", label: () => t("Configure Rules") },
};

function SettingButton({ ends }: { ends: Setting }) {
	const { command: name, label } = SETTINGS[ends];
	return (
		<button type="button" class="link" onClick={() => postCommand(name)}>
			{label()}
		</button>
	);
}

function coverageText(sentences: readonly string[] | undefined): string | undefined {
	return sentences?.length ? sentences.map(visibleLine).join(" ") : undefined;
}
