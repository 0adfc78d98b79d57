// Renders the message composer.

// Enter sends and never approves; while a turn runs, a sent message waits for its next step.
import { useEffect, useRef, useState } from "preact/hooks";
import { MAX_MESSAGE_LENGTH } from "../../../src/shared/earlyComposer.ts";
import { t } from "../../../src/shared/l10n.ts";
import { COMPLETION_LIST_ID, CompletionPopup, optionId } from "../../composer/CompletionPopup.tsx";
import {
	activeIndex,
	activeItem,
	activeTrigger,
	type CompletionItem,
	closeCompletion,
	completionItems,
	insertionText,
	moveActive,
	updateCompletion,
} from "../../composer/completion.ts";
import { DraftAttachments } from "../../composer/DraftAttachments.tsx";
import { takeEarlyEnter, withDraft } from "../../composer/earlyInput.ts";
import { clearHint, composerHint } from "../../composer/hint.ts";
import { attachImages, draftImages, reattachImages, restoreDraftImages, setDraftImages } from "../../composer/images.ts";
import { pastedImages, useDrop } from "../../composer/pasteAndDrop.ts";
import { QueuedMessages } from "../../composer/QueuedMessages.tsx";
import { insertTextAtCursor, navigateHistory, prependText, replaceText, userMessages } from "../../composer/textEditing.ts";
import { composeRequest, composerPlaceholder } from "../../focus/focus.ts";
import { postSessionIntent } from "../../host.ts";
import { clearSessionlessDraft, draft, flushPersistedState, updateDraft } from "../../persistedState.ts";
import { chatStatus, isTurnRunning, sessionId, transcript } from "../../state.ts";
import { cleanText } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";
import { Footer } from "./Footer.tsx";
import { AgentPicker, ModelPicker } from "./Pickers.tsx";
import { RolePicker } from "./RolePicker.tsx";

export function Composer() {
	const box = useRef<HTMLTextAreaElement>(null);
	const [text, setText] = useState("");
	const recalled = useRef<number | undefined>(undefined);
	const session = sessionId.value;
	const blocked = chatStatus.value?.blocked !== undefined;
	const isTask = chatStatus.value?.session?.kind === "task";
	const over = useDrop();

	const write = (words: string) => {
		if (box.current) box.current.value = words;
		setText(words);
		updateDraft({ text: words });
	};
	const early = useRef(false);
	const send = () => {
		const words = trimMessage(box.current?.value ?? "");
		const pictures = draftImages.value.map(({ key, blob }) => blob ?? key);
		early.current = session === undefined;
		if ((words === "" && pictures.length === 0) || blocked || session === undefined) return;
		postSessionIntent("send", { text: words, ...(pictures.length > 0 && { pictures }) });
		composerPlaceholder.value = undefined;
		recalled.current = undefined;
		closeCompletion();
		clearHint();
		setDraftImages([]);
		write("");
		box.current?.focus();
	};
	const shown = useRef(session);
	useEffect(() => {
		// Text typed while the session loaded is kept, and an Enter from that time sends it now.
		const typed = shown.current === undefined ? (box.current?.value ?? "") : "";
		const first = shown.current === undefined && session !== undefined;
		shown.current = session;
		recalled.current = undefined;
		closeCompletion();
		clearHint();
		const { text: words, cursor } = draft();
		write(first ? withDraft(session, words, typed) : typed || words);
		restoreDraftImages();
		if (!typed && cursor) box.current?.setSelectionRange(...cursor);
		early.current = takeEarlyEnter() || early.current;
		if (session === undefined) return;
		clearSessionlessDraft();
		if (typed && early.current) send();
		early.current = false;
	}, [session]);
	useEffect(() => {
		const request = composeRequest.value;
		if (request === undefined || !box.current) return;
		composeRequest.value = undefined;
		if (!request.back) {
			insertTextAtCursor(box.current, request.text);
			// Save now: the user may return to another view, which unloads this page.
			return flushPersistedState();
		}
		reattachImages(request.back.pictures);
		prependText(box.current, request.text);
	}, [composeRequest.value]);

	const choose = (choice: CompletionItem, byEnter = false) => {
		const at = activeTrigger.value;
		if (!at || !box.current) return;
		replaceText(box.current, at.from, at.to, insertionText(choice));
		if (byEnter && choice.acceptsOnEnter) send();
		else updateCompletion(box.current.value, box.current.selectionStart);
	};
	/** Returns true if the completion list handled the key. */
	const handleListKey = (key: KeyboardEvent): boolean => {
		if (!activeTrigger.value || completionItems.value.length === 0 || key.shiftKey) return false;
		const by = { ArrowDown: 1, ArrowUp: -1 }[key.key];
		if (by !== undefined) moveActive(by);
		else if (key.key === "Escape") closeCompletion(true);
		else if (key.key === "Enter" || key.key === "Tab") {
			const choice = activeItem();
			// A fully typed item is sent as is.
			if (!choice || (key.key === "Enter" && box.current?.value.slice(activeTrigger.value.from, activeTrigger.value.to) === choice.insert))
				return false;
			choose(choice, key.key === "Enter");
		} else return false;
		return true;
	};
	/** Escape in an empty composer stops the turn; an open completion list takes it first. */
	const stopTurn = ({ shiftKey, ctrlKey, altKey, metaKey, repeat }: KeyboardEvent): boolean => {
		const isListOpen = activeTrigger.value !== undefined && completionItems.value.length > 0;
		const empty = box.current?.value === "" && draftImages.value.length === 0;
		if (isListOpen || !empty || !isTurnRunning.value || repeat || shiftKey || ctrlKey || altKey || metaKey) return false;
		postSessionIntent("stop", {});
		return true;
	};
	const handleHistoryKey = (key: KeyboardEvent): boolean => {
		if (!box.current || (key.key !== "ArrowUp" && key.key !== "ArrowDown") || key.shiftKey || key.altKey) return false;
		const next = navigateHistory({ index: recalled.current }, key.key, box.current, () => userMessages(transcript.value.folded.events));
		if (!next) return false;
		write(next.text);
		recalled.current = next.at;
		box.current.setSelectionRange(next.text.length, next.text.length);
		return true;
	};
	const onKey = (key: KeyboardEvent) => {
		// 229: handled by an input method.
		if (key.isComposing || key.keyCode === 229 || key.defaultPrevented) return;
		if (key.key === "Escape" && stopTurn(key)) return key.preventDefault();
		const isHandled = handleListKey(key) || handleHistoryKey(key);
		if (!isHandled && (key.key !== "Enter" || key.shiftKey)) return;
		key.preventDefault();
		if (!isHandled) send();
	};
	const followCursor = () => {
		const at = box.current;
		if (!at) return;
		updateDraft({ cursor: [at.selectionStart, at.selectionEnd] });
		if (activeTrigger.value) updateCompletion(at.value, at.selectionStart);
	};

	const canSend = (text.trim() !== "" || draftImages.value.length > 0) && !blocked && session !== undefined;
	const isListOpen = activeTrigger.value !== undefined && completionItems.value.length > 0;
	return (
		<div class="composer">
			<QueuedMessages />
			{composerHint.value !== undefined && (
				<p class="composer-note">
					<Icon name="info" />
					<span>{cleanText(composerHint.value)}</span>
				</p>
			)}
			<div class={`composer-box${over ? " dropping" : ""}`}>
				<CompletionPopup choose={choose} />
				<DraftAttachments after={() => box.current?.focus()} />
				<textarea
					ref={box}
					id="message"
					aria-label={t("Message")}
					aria-autocomplete="list"
					aria-controls={isListOpen ? COMPLETION_LIST_ID : undefined}
					aria-activedescendant={isListOpen ? optionId(activeIndex.value) : undefined}
					rows={1}
					placeholder={composerPlaceholder.value ?? defaultPlaceholder()}
					maxLength={MAX_MESSAGE_LENGTH}
					onInput={({ currentTarget: { value, selectionStart, selectionEnd } }) => {
						setText(value);
						updateDraft({ text: value, cursor: [selectionStart, selectionEnd] });
						clearHint();
						updateCompletion(value, selectionStart);
					}}
					onSelect={followCursor}
					onPaste={(paste) => {
						const pictures = pastedImages(paste.clipboardData);
						if (pictures.length === 0) return;
						paste.preventDefault();
						void attachImages(pictures);
					}}
					onBlur={() => {
						closeCompletion();
						if (!text) composerPlaceholder.value = undefined;
					}}
					onKeyDown={onKey}
				/>
				<div class="composer-row">
					{/* A task keeps its role and agent. */}
					{!isTask && <RolePicker />}
					{!isTask && <AgentPicker />}
					<span class="row-break" />
					<ModelPicker />
					<span class="spacer" />
					<AddContext box={box} />
					<AttachImage />
					{isTurnRunning.value && (
						<button
							type="button"
							class="icon-button"
							aria-label={t("Stop")}
							title={t("Stop (Esc when the message box is empty)")}
							onClick={() => postSessionIntent("stop", {})}
						>
							<Icon name="debug-stop" />
						</button>
					)}
					{(!isTurnRunning.value || canSend) && (
						<button
							type="button"
							class="icon-button send"
							aria-label={t("Send")}
							title={isTurnRunning.value ? t("Send (queued until the next step)") : t("Send (Enter)")}
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

/** Trims; a space before a slash is kept, since it means the text is no command. */
function trimMessage(value: string): string {
	return /^\s+\//.test(value) ? ` ${value.trim()}` : value.trim();
}

function AddContext({ box }: { box: { current: HTMLTextAreaElement | null } }) {
	return (
		<button
			type="button"
			class="icon-button quiet-icon"
			aria-label={t("Add Context")}
			title={t("Add Context (@)")}
			onClick={() => box.current && insertTextAtCursor(box.current, "@")}
		>
			<Icon name="mention" />
		</button>
	);
}

function defaultPlaceholder(): string {
	return chatStatus.value?.talks
		? t("Ask, or hand over a task…  @ for context, / for commands")
		: t("Ask, or describe a change…  @ for context, / for commands");
}

function AttachImage() {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<button
				type="button"
				class="icon-button quiet-icon"
				aria-label={t("Attach Image")}
				title={t("Attach Image (or paste or drop one)")}
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
					void attachImages([...(currentTarget.files ?? [])]);
					currentTarget.value = "";
				}}
			/>
		</>
	);
}
