// A question to the user, answered by click, number key or free text if allowed.

import { useRef } from "preact/hooks";
import type { QuestionOption } from "../../../src/core/events.ts";
import { t } from "../../../src/shared/l10n.ts";
import { authorName, type QuestionItem } from "../../conversation/items.ts";
import { postAnswer, postDismiss } from "../../host.ts";
import { labels } from "../../state.ts";
import { escapeHiddenCharacters } from "../../text/displayText.ts";
import { Group } from "../conversation/Group.tsx";
import { InlineMarkdown } from "../conversation/Text.tsx";
import { Icon } from "../Icon.tsx";
import { CallChain } from "./CallChain.tsx";
import { useAnswerDelay } from "./useAnswerDelay.ts";

export function QuestionCard({ item }: { item: QuestionItem }) {
	const name = t("Question: {0}", escapeHiddenCharacters(item.event.question.question));
	if (item.request.state !== "pending") {
		return (
			<Group name={name} class="settled-line">
				<Icon name="question" />
				<span>
					<InlineMarkdown text={item.event.question.question} /> <span class="given">{givenAnswer(item)}</span>
				</span>
			</Group>
		);
	}
	return <Pending item={item} name={name} />;
}

const SEVERITIES: Record<NonNullable<QuestionItem["event"]["question"]["severity"]>, string> = {
	critical: t("critical"),
	major: t("major"),
	minor: t("minor"),
};

function Pending({ item, name }: { item: QuestionItem; name: string }) {
	const { request, question } = item.event;
	const options = question.options ?? [];
	const words = useRef<HTMLInputElement>(null);
	const { isReady, accepts } = useAnswerDelay();
	const give = (value: string, cause: Event) => {
		if (value.trim() && accepts(cause)) postAnswer(cause, { session: item.session, request }, { value });
	};
	const byNumber = (key: KeyboardEvent) => {
		if (key.target instanceof HTMLInputElement || key.ctrlKey || key.metaKey || key.altKey || key.repeat) return;
		const option = /^[1-9]$/.test(key.key) ? options[Number(key.key) - 1] : undefined;
		if (option) give(option.value, key);
	};
	const allowsCustom = question.allow_custom ?? options.length === 0;
	return (
		<Group name={name} class="card accent-blue question" data-pending="question" tabIndex={-1} onKeyDown={byNumber}>
			<div class="card-head">
				<Icon name="question" />
				<span class="card-title">
					<InlineMarkdown text={question.question} />
				</span>
				<span class={`figure severity-${question.severity ?? "none"}`}>{question.severity && SEVERITIES[question.severity]}</span>
				<button
					type="button"
					class="icon-button"
					aria-label={t("Dismiss")}
					title={t("Dismiss")}
					onClick={() => postDismiss(request, item.session)}
				>
					<Icon name="close" />
				</button>
			</div>
			<div class="card-body">
				<CallChain chain={item.chain} session={item.session} />
				{question.context && (
					<p class="secondary-text">
						<InlineMarkdown text={question.context} />
					</p>
				)}
				{options.length > 0 && (
					<div class="options">
						{options.map((option, index) => (
							<Option
								key={option.value}
								option={option}
								number={index + 1}
								isDefault={isDefault(option, question.default)}
								ready={isReady}
								choose={(cause) => give(option.value, cause)}
							/>
						))}
					</div>
				)}
				{allowsCustom && (
					<div class="own-answer">
						<input
							ref={words}
							aria-label={t("Your answer")}
							placeholder={t("Your answer")}
							maxLength={20_000}
							onKeyDown={(key) => {
								if (key.key === "Enter" && !key.isComposing) give(words.current?.value ?? "", key);
							}}
						/>
						<button type="button" class="secondary" aria-disabled={!isReady} onClick={(click) => give(words.current?.value ?? "", click)}>
							{t("Answer")}
						</button>
					</div>
				)}
			</div>
		</Group>
	);
}

interface OptionProps {
	option: QuestionOption;
	number: number;
	isDefault: boolean;
	ready: boolean;
	choose: (cause: Event) => void;
}

function Option({ option, number, isDefault, ready, choose }: OptionProps) {
	return (
		<button
			type="button"
			class={`option${isDefault ? " default" : ""}`}
			aria-label={escapeHiddenCharacters(option.label)}
			aria-description={[option.description, isDefault && t("default")].filter(Boolean).join(", ") || undefined}
			aria-disabled={!ready}
			onClick={choose}
		>
			<span class="option-words">
				<span>{escapeHiddenCharacters(option.label)}</span>
				{option.description && <span class="option-description">{escapeHiddenCharacters(option.description)}</span>}
			</span>
			<span class="figure">
				{number <= 9 && number}
				{isDefault && ` · ${t("default")}`}
			</span>
		</button>
	);
}

function isDefault(option: QuestionOption, named: string | undefined): boolean {
	return named !== undefined && (option.value === named || option.label === named);
}

function givenAnswer({ request, event, answeredBy = "person" }: QuestionItem): string {
	if (request.state === "dismissed") return t("Dismissed");
	const given = request.answer;
	if (request.state !== "answered" || !given || !("value" in given)) return t("Not answered. The conversation continued.");
	const label = event.question.options?.find((option) => option.value === given.value)?.label ?? given.value;
	return t("{0}: {1}", authorName(answeredBy, labels.value), escapeHiddenCharacters(label));
}
