// Message actions: copy, edit and resend, retry, and undo to here.
import { computed, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { saidIn } from "../../../src/core/transcript/spoken.ts";
import { t } from "../../../src/shared/l10n.ts";
import type { MessageItem } from "../../conversation/items.ts";
import { announceText } from "../../focus/announce.ts";
import { postSessionIntent } from "../../host.ts";
import { isTurnRunning, transcript } from "../../state.ts";
import { Icon } from "../Icon.tsx";

/** Event id of the message being edited, and its text so far: off-screen items are not rendered. */
const editing = signal<string | undefined>(undefined);
let editedText = "";

/** Event ids of the user's last message and the last answer to it; a plan's approval can't be retried. */
const newest = computed(() => {
	const { events, hidden, outcome } = transcript.value.folded;
	// The card of an incomplete turn has its own Continue button.
	const isIncomplete = outcome === "failed" || outcome === "interrupted" || outcome === "limit";
	let answer: string | undefined;
	for (let at = events.length - 1; at >= 0; at -= 1) {
		const event = events[at];
		if (!event || hidden.has(event.id)) continue;
		if (saidIn(event).trim() !== "") answer ??= event.id;
		if (event.type !== "user" || event.by === "host") continue;
		const before = events.slice(0, at).findLast(({ id }) => !hidden.has(id));
		const approves = before?.type === "role" && before.plan !== undefined;
		return { said: event.by === "person" && !approves ? event.id : undefined, answer: approves || isIncomplete ? undefined : answer };
	}
	return { said: undefined, answer: undefined };
});
const editableMessage = computed(() => newest.value.said);
const answer = computed(() => newest.value.answer);

interface Action {
	icon: string;
	label: string;
	run(): void;
}

function beginEditing(event: string, text: string): void {
	editedText = text;
	editing.value = event;
}

function actionsOf({ speaker, event, text }: MessageItem): Action[] {
	const copy: Action = {
		icon: "copy",
		label: t("Copy"),
		run() {
			postSessionIntent("copy", { text });
			announceText(t("Copied"));
		},
	};
	if (event === undefined || isTurnRunning.value) return [copy];
	const edit: Action = { icon: "edit", label: t("Edit"), run: () => beginEditing(event, text) };
	const back: Action = { icon: "discard", label: t("Undo to Here"), run: () => postSessionIntent("rewind", { message: event }) };
	const retry: Action = { icon: "refresh", label: t("Retry"), run: () => postSessionIntent("retry", {}) };
	if (speaker === "person") return [copy, ...(editableMessage.value === event ? [edit] : []), back];
	return [copy, ...(answer.value === event ? [retry] : [])];
}

/** A single tab stop; buttons are rendered on hover or focus, and always for the last answer. */
export function MessageActions({ item }: { item: MessageItem }) {
	const bar = useRef<HTMLDivElement>(null);
	const [wanted, setWanted] = useState(false);
	const [chosen, choose] = useState(0);
	const isLastAnswer = item.speaker === "agent" && item.event !== undefined && answer.value === item.event && !isTurnRunning.value;
	const shown = wanted || isLastAnswer;
	useEffect(() => {
		const article = bar.current?.closest("article");
		const want = () => setWanted(true);
		const leave = () => setWanted(article?.matches(":focus-within") ?? false);
		article?.addEventListener("pointerenter", want);
		article?.addEventListener("pointerleave", leave);
		return () => {
			article?.removeEventListener("pointerenter", want);
			article?.removeEventListener("pointerleave", leave);
		};
	}, []);
	const actions = shown ? actionsOf(item) : [];
	const current = Math.min(chosen, actions.length - 1);
	const move = (by: number) => {
		const next = (current + by + actions.length) % actions.length;
		choose(next);
		bar.current?.querySelectorAll("button")[next]?.focus();
	};
	useLayoutEffect(() => {
		if (shown && bar.current === document.activeElement) bar.current?.querySelector("button")?.focus();
	}, [shown]);
	return (
		<div
			ref={bar}
			role="toolbar"
			aria-label={t("Message actions")}
			class={`message-actions${isLastAnswer ? " stay" : ""}`}
			tabIndex={shown ? -1 : 0}
			onFocusIn={() => setWanted(true)}
			onFocusOut={(event) => {
				if (!bar.current?.contains(event.relatedTarget as Node | null)) setWanted(false);
			}}
			onKeyDown={(key) => {
				const by = STEPS[key.key];
				if (by === undefined || actions.length === 0) return;
				key.preventDefault();
				move(by);
			}}
		>
			{actions.map(({ icon, label, run }, index) => (
				<button
					key={icon}
					type="button"
					class="icon-button"
					aria-label={label}
					title={label}
					tabIndex={index === current ? 0 : -1}
					onClick={run}
				>
					<Icon name={icon} />
				</button>
			))}
		</div>
	);
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function isBeingEdited(item: MessageItem): boolean {
	return item.event !== undefined && editing.value === item.event;
}

/** Edits the message in its bubble until the edit is sent or canceled. */
export function EditMessage({ item }: { item: MessageItem }) {
	const box = useRef<HTMLTextAreaElement>(null);
	const cancel = () => {
		editing.value = undefined;
		document.getElementById("message")?.focus();
	};
	const send = () => {
		const text = box.current?.value.trim() ?? "";
		if (text !== "" && item.event !== undefined && !isTurnRunning.value) postSessionIntent("resend", { message: item.event, text });
	};
	useLayoutEffect(() => {
		const area = box.current;
		area?.focus();
		area?.setSelectionRange(area.value.length, area.value.length);
	}, []);
	return (
		<div class="edit-message">
			<textarea
				ref={box}
				aria-label={t("Edit message")}
				rows={Math.min(12, item.text.split("\n").length + 1)}
				defaultValue={editedText}
				onInput={(input) => {
					editedText = input.currentTarget.value;
				}}
				onKeyDown={(key) => {
					if (key.key === "Escape") cancel();
					// 229: handled by an input method.
					if (key.key !== "Enter" || key.shiftKey || key.isComposing || key.keyCode === 229) return;
					key.preventDefault();
					send();
				}}
			/>
			<div class="buttons">
				<button type="button" class="primary" onClick={send}>
					{t("Send")}
				</button>
				<button type="button" class="secondary" onClick={cancel}>
					{t("Cancel")}
				</button>
			</div>
		</div>
	);
}
