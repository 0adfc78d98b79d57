// Failures of the editor's own models, in words.
import { ModelError, type ModelErrorKind } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";

interface Known {
	/** Found in the error's code, name or message. */
	sign: RegExp;
	kind: ModelErrorKind;
	retryable?: boolean;
	words(model: string, detail: string): string;
}

/** The first sign that fits counts. */
const KNOWN: readonly Known[] = [
	{
		sign: /\bNoPermissions\b/,
		kind: "consent",
		words: (model) =>
			t(
				"VS Code has not let Troupe use {0}, so nothing was sent. Send the message again and allow it when VS Code asks, or select another model. Where it does not ask any more, the command “Manage Language Model Access” changes the answer.",
				model,
			),
	},
	{
		sign: /\bNotFound\b/,
		kind: "not_found",
		words: (model) => t("VS Code does not have {0} any more. Nothing was sent. Select another model.", model),
	},
	{
		sign: /rate.?limit|too many requests|\b429\b/i,
		kind: "rate_limit",
		retryable: true,
		words: (model, detail) => t("{0} takes no more requests for the moment: {1}", model, detail),
	},
	{
		sign: /\bBlocked\b|quota/i,
		kind: "credits",
		words: (model, detail) =>
			t(
				"VS Code does not let requests to {0} through now: its quota may be used up. What was said is kept. Wait until it is renewed, or select another model. {1}",
				model,
				detail,
			),
	},
	{
		sign: /context (window|length)|too (long|large|many tokens)|maximum.{0,30}tokens|token limit/i,
		kind: "context",
		words: (model, detail) =>
			t(
				"The conversation is too long for {0}. It is kept. Start a new session, or select a model with a larger window. {1}",
				model,
				detail,
			),
	},
	{
		sign: /filtered|refus|responsible ai/i,
		kind: "invalid_request",
		words: (model, detail) => t("{0} refused to answer this: {1}", model, detail),
	},
	{
		sign: /ECONN|ENOTFOUND|ETIMEDOUT|EPIPE|socket|network|fetch failed|offline|timed? ?out|\b50[0-4]\b|overloaded/i,
		kind: "network",
		retryable: true,
		words: (model, detail) => t("{0} could not be reached through VS Code: {1}", model, detail),
	},
];

const OTHER: Omit<Known, "sign"> = {
	kind: "protocol",
	words: (model, detail) => t("{0} failed: {1}. What was said is kept. Send the message again, or select another model.", model, detail),
};

export function toModelError(error: unknown, model: string): ModelError {
	const said = signsOf(error);
	const detail = detailOf(error);
	const { kind, retryable = false, words } = KNOWN.find(({ sign }) => sign.test(said)) ?? OTHER;
	return new ModelError(kind, words(model, detail).trim(), { retryable, cause: error });
}

function signsOf(error: unknown): string {
	const { code, name, message, cause } = (typeof error === "object" && error !== null ? error : { message: error }) as Record<
		string,
		unknown
	>;
	const own = [code, name, message].filter((part) => typeof part === "string" || typeof part === "number").join(" ");
	return cause === undefined || cause === error ? own : `${own} ${signsOf(cause)}`;
}

function detailOf(error: unknown): string {
	const said = typeof error === "object" && error !== null ? (error as { message?: unknown }).message : error;
	const words = typeof said === "string" ? said : t("it gives no reason");
	return words.replace(/\s+/g, " ").trim().replace(/\.$/, "").slice(0, 300);
}
