// Where the person writes. Enter sends and never approves; while a turn runs, what is sent waits for its next step.
import { useEffect, useRef, useState } from "preact/hooks";
import { MOST_CHARACTERS } from "../../../src/shared/earlyComposer.ts";
import { t } from "../../../src/shared/l10n.ts";
import { Attached } from "../../composer/Attached.tsx";
import { active, type Choice, choices, close, look, marked, move, open, writtenFor } from "../../composer/completion.ts";
import { pastedPictures, useDrop } from "../../composer/drop.ts";
import { enteredEarly, withDraft } from "../../composer/early.ts";
import { hinted, unhint } from "../../composer/hint.ts";
import { ownMessages, recall } from "../../composer/history.ts";
import { LIST, optionId, Popup } from "../../composer/Popup.tsx";
import { attach, attached, reattach, restoreAttached, setAttached } from "../../composer/pictures.ts";
import { Queued } from "../../composer/Queued.tsx";
import { insertAtCursor, putBack, replaceIn } from "../../composer/write.ts";
import { composed, placeholder } from "../../focus/focus.ts";
import { act } from "../../host.ts";
import { draft, flush, keepDraft, sessionCame } from "../../persistedState.ts";
import { running, sessionId, surroundings, transcript } from "../../state.ts";
import { cleanText } from "../../text/visible.ts";
import { Icon } from "../Icon.tsx";
import { Footer } from "./Footer.tsx";
import { Agent, Model } from "./Pickers.tsx";
import { Roles } from "./Roles.tsx";

export function Composer() {
	const box = useRef<HTMLTextAreaElement>(null);
	const [text, setText] = useState("");
	const recalled = useRef<number | undefined>(undefined);
	const session = sessionId.value;
	const blocked = surroundings.value?.blocked !== undefined;
	const over = useDrop();

	const write = (words: string) => {
		if (box.current) box.current.value = words;
		setText(words);
		keepDraft({ text: words });
	};
	const early = useRef(false);
	const send = () => {
		const words = wordsOf(box.current?.value ?? "");
		const pictures = attached.value.map(({ key, blob }) => blob ?? key);
		early.current = session === undefined;
		if ((words === "" && pictures.length === 0) || blocked || session === undefined) return;
		act("send", { text: words, ...(pictures.length > 0 && { pictures }) });
		placeholder.value = undefined;
		recalled.current = undefined;
		close();
		unhint();
		setAttached([]);
		write("");
		box.current?.focus();
	};
	const shown = useRef(session);
	useEffect(() => {
		// What was typed while the conversation loaded stays, and an Enter of that time counts now.
		const typed = shown.current === undefined ? (box.current?.value ?? "") : "";
		const first = shown.current === undefined && session !== undefined;
		shown.current = session;
		recalled.current = undefined;
		close();
		unhint();
		const { text: words, cursor } = draft();
		write(first ? withDraft(session, words, typed) : typed || words);
		restoreAttached();
		if (!typed && cursor) box.current?.setSelectionRange(...cursor);
		early.current = enteredEarly() || early.current;
		if (session === undefined) return;
		sessionCame();
		if (typed && early.current) send();
		early.current = false;
	}, [session]);
	useEffect(() => {
		const given = composed.value;
		if (given === undefined || !box.current) return;
		composed.value = undefined;
		if (!given.back) {
			insertAtCursor(box.current, given.text);
			// Whoever added it from another view may go back there at once, and this page with it.
			return flush();
		}
		reattach(given.back.pictures);
		putBack(box.current, given.text);
	}, [composed.value]);

	const choose = (choice: Choice, byEnter = false) => {
		const at = open.value;
		if (!at || !box.current) return;
		replaceIn(box.current, at.from, at.to, writtenFor(choice));
		if (byEnter && choice.whole) send();
		else look(box.current.value, box.current.selectionStart);
	};
	/** Whether the list took the key. */
	const toList = (key: KeyboardEvent): boolean => {
		if (!open.value || choices.value.length === 0 || key.shiftKey) return false;
		const by = { ArrowDown: 1, ArrowUp: -1 }[key.key];
		if (by !== undefined) move(by);
		else if (key.key === "Escape") close(true);
		else if (key.key === "Enter" || key.key === "Tab") {
			const choice = marked();
			// What is typed out already is meant as it stands.
			if (!choice || (key.key === "Enter" && box.current?.value.slice(open.value.from, open.value.to) === choice.insert)) return false;
			choose(choice, key.key === "Enter");
		} else return false;
		return true;
	};
	/** Escape in an empty composer stops the turn; a list that is open takes it first. */
	const stops = ({ shiftKey, ctrlKey, altKey, metaKey, repeat }: KeyboardEvent): boolean => {
		const listed = open.value !== undefined && choices.value.length > 0;
		const empty = box.current?.value === "" && attached.value.length === 0;
		if (listed || !empty || !running.value || repeat || shiftKey || ctrlKey || altKey || metaKey) return false;
		act("stop", {});
		return true;
	};
	const toHistory = (key: KeyboardEvent): boolean => {
		if (!box.current || (key.key !== "ArrowUp" && key.key !== "ArrowDown") || key.shiftKey || key.altKey) return false;
		const next = recall({ at: recalled.current }, key.key, box.current, () => ownMessages(transcript.value.folded.events));
		if (!next) return false;
		write(next.text);
		recalled.current = next.at;
		box.current.setSelectionRange(next.text.length, next.text.length);
		return true;
	};
	const onKey = (key: KeyboardEvent) => {
		// 229: an input method takes this key.
		if (key.isComposing || key.keyCode === 229 || key.defaultPrevented) return;
		if (key.key === "Escape" && stops(key)) return key.preventDefault();
		const taken = toList(key) || toHistory(key);
		if (!taken && (key.key !== "Enter" || key.shiftKey)) return;
		key.preventDefault();
		if (!taken) send();
	};
	const followCursor = () => {
		const at = box.current;
		if (!at) return;
		keepDraft({ cursor: [at.selectionStart, at.selectionEnd] });
		if (open.value) look(at.value, at.selectionStart);
	};

	const canSend = (text.trim() !== "" || attached.value.length > 0) && !blocked && session !== undefined;
	const listed = open.value !== undefined && choices.value.length > 0;
	return (
		<div class="composer">
			<Queued />
			{hinted.value !== undefined && (
				<p class="composer-note">
					<Icon name="info" />
					<span>{cleanText(hinted.value)}</span>
				</p>
			)}
			<div class={`composer-box${over ? " dropping" : ""}`}>
				<Popup choose={choose} />
				<Attached after={() => box.current?.focus()} />
				<textarea
					ref={box}
					id="message"
					aria-label={t("Message")}
					aria-autocomplete="list"
					aria-controls={listed ? LIST : undefined}
					aria-activedescendant={listed ? optionId(active.value) : undefined}
					rows={1}
					placeholder={placeholder.value ?? t("Ask, or describe a change…  @ for context, / for commands")}
					maxLength={MOST_CHARACTERS}
					onInput={({ currentTarget: { value, selectionStart, selectionEnd } }) => {
						setText(value);
						keepDraft({ text: value, cursor: [selectionStart, selectionEnd] });
						unhint();
						look(value, selectionStart);
					}}
					onSelect={followCursor}
					onPaste={(paste) => {
						const pictures = pastedPictures(paste.clipboardData);
						if (pictures.length === 0) return;
						paste.preventDefault();
						void attach(pictures);
					}}
					onBlur={() => {
						close();
						if (!text) placeholder.value = undefined;
					}}
					onKeyDown={onKey}
				/>
				<div class="composer-row">
					<Roles />
					<Agent />
					<span class="row-break" />
					<Model />
					<span class="spacer" />
					<AddContext box={box} />
					<AttachImage />
					{running.value && (
						<button
							type="button"
							class="icon-button"
							aria-label={t("Stop")}
							title={t("Stop (Esc in an empty box)")}
							onClick={() => act("stop", {})}
						>
							<Icon name="debug-stop" />
						</button>
					)}
					{(!running.value || canSend) && (
						<button
							type="button"
							class="icon-button send"
							aria-label={t("Send")}
							title={running.value ? t("Send: it waits for the next step") : t("Send (Enter)")}
							disabled={!canSend}
							onClick={send}
						>
							<Icon name="send" />
						</button>
					)}
				</div>
			</div>
			<Footer />
		</div>
	);
}

/** Without the blanks around it; one before a slash says that no command is meant. */
function wordsOf(value: string): string {
	return /^\s+\//.test(value) ? ` ${value.trim()}` : value.trim();
}

function AddContext({ box }: { box: { current: HTMLTextAreaElement | null } }) {
	return (
		<button
			type="button"
			class="icon-button quiet-icon"
			aria-label={t("Add context")}
			title={t("Add context (@)")}
			onClick={() => box.current && insertAtCursor(box.current, "@")}
		>
			<Icon name="mention" />
		</button>
	);
}

function AttachImage() {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<button
				type="button"
				class="icon-button quiet-icon"
				aria-label={t("Attach image")}
				title={t("Attach image (or paste or drop one)")}
				onClick={() => input.current?.click()}
			>
				<Icon name="attach" />
			</button>
			<input
				ref={input}
				type="file"
				hidden
				multiple
				accept="image/png,image/jpeg,image/webp,image/gif"
				aria-label={t("Images")}
				onChange={({ currentTarget }) => {
					void attach([...(currentTarget.files ?? [])]);
					currentTarget.value = "";
				}}
			/>
		</>
	);
}
