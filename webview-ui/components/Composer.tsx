// Where the person writes. Enter sends and never approves; while a turn runs, what is sent waits for its next step.
import { useEffect, useRef, useState } from "preact/hooks";
import { composed, placeholder } from "../focus.ts";
import { act } from "../host.ts";
import { draft, keepDraft } from "../kept.ts";
import { running, sessionId, surroundings } from "../state.ts";
import { cleanText } from "../visible.ts";
import { Footer } from "./Footer.tsx";
import { Icon } from "./Icon.tsx";
import { Agent, Model } from "./Pickers.tsx";
import { Roles } from "./Roles.tsx";

const ASK = "Ask, or describe a change…";

export function Composer() {
	const box = useRef<HTMLTextAreaElement>(null);
	const [text, setText] = useState("");
	const session = sessionId.value;
	const around = surroundings.value;
	const blocked = around?.blocked !== undefined;

	const write = (words: string) => {
		setText(words);
		keepDraft(words);
		if (box.current) box.current.value = words;
	};
	const early = useRef(false);
	const send = () => {
		const words = box.current?.value.trim() ?? "";
		early.current = session === undefined;
		if (words === "" || blocked || session === undefined) return;
		act("send", { text: words });
		placeholder.value = undefined;
		write("");
		box.current?.focus();
	};
	const shown = useRef(session);
	useEffect(() => {
		// What was typed while the conversation loaded stays, and an Enter of that time counts now.
		const typed = shown.current === undefined ? (box.current?.value ?? "") : "";
		shown.current = session;
		write(typed || draft());
		if (typed && early.current) send();
		early.current = false;
	}, [session]);
	useEffect(() => {
		const words = composed.value?.text;
		if (words === undefined || !box.current) return;
		const before = box.current.value.trimEnd();
		write(before ? `${before}\n${words}` : words);
		box.current.setSelectionRange(box.current.value.length, box.current.value.length);
		composed.value = undefined;
	}, [composed.value]);

	const canSend = text.trim() !== "" && !blocked && session !== undefined;
	return (
		<div class="composer">
			<Queued />
			<div class="composer-box">
				<textarea
					ref={box}
					id="message"
					aria-label="Message"
					rows={1}
					placeholder={placeholder.value ?? ASK}
					maxLength={400_000}
					onInput={(input) => {
						setText(input.currentTarget.value);
						keepDraft(input.currentTarget.value);
					}}
					onBlur={() => {
						if (!text) placeholder.value = undefined;
					}}
					onKeyDown={(key) => {
						// 229: an input method takes this key.
						if (key.key !== "Enter" || key.shiftKey || key.isComposing || key.keyCode === 229) return;
						key.preventDefault();
						send();
					}}
				/>
				<div class="composer-row">
					<Roles />
					<Agent />
					<Model />
					<span class="spacer" />
					{running.value && (
						<button type="button" class="icon-button" aria-label="Stop" title="Stop" onClick={() => act("stop", {})}>
							<Icon name="debug-stop" />
						</button>
					)}
					{(!running.value || canSend) && (
						<button
							type="button"
							class="icon-button send"
							aria-label="Send"
							title={running.value ? "Send: it waits for the next step" : "Send (Enter)"}
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

function Queued() {
	const queued = surroundings.value?.queued ?? [];
	if (queued.length === 0) return null;
	return (
		<ul class="queued" aria-label="Waiting for the next step">
			{queued.map(({ text: words }, index) => (
				<li key={index}>
					<Icon name="history" /> <span>{cleanText(words)}</span>
				</li>
			))}
		</ul>
	);
}
