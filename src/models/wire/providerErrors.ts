// Converts provider failures to ModelErrors with a kind, retry advice and a message for the user.
import { toOneLine } from "../../core/hiddenText.ts";
import { ModelError, type ModelErrorKind } from "../../core/ports/model.ts";
import { formatNumber, t } from "../../shared/l10n.ts";

/** The request that failed; `secrets` never appear in a message. */
export interface ProviderRequest {
	provider: string;
	origin: string;
	model: string;
	hasKey: boolean;
	secrets: readonly string[];
	/** The expected wire format; default: Chat Completions. */
	wireFormat?: "anthropic";
}

/** Values to redact from server messages: the key, and the configured headers and their parts ("Bearer …"). */
export function secretsToRedact(key: string | undefined, headers: Readonly<Record<string, string>> = {}): string[] {
	const values = Object.values(headers).flatMap((value) => [value, ...value.split(/[\s=:;,"]+/)]);
	const found = [...(key ? [key] : []), ...values.filter((value) => value.length >= 8)];
	return [...new Set(found)].sort((one, other) => other.length - one.length);
}

interface ErrorResponse {
	status?: number | undefined;
	/** The raw body, or the error object inside it. */
	body?: unknown;
	headers?: Headers | undefined;
}

const BY_STATUS: Record<number, ModelErrorKind> = {
	400: "invalid_request",
	401: "auth",
	402: "credits",
	403: "auth",
	404: "not_found",
	408: "timeout",
	409: "overloaded",
	413: "context",
	422: "invalid_request",
	425: "overloaded",
	429: "rate_limit",
};

/** Matched against `code`, `type` and `message` of an error; more specific than the status. */
const BY_TEXT: readonly [RegExp, ModelErrorKind][] = [
	[
		/context_length_exceeded|context (length|window|size)|maximum context|too many tokens|prompt is too long|exceeds? the (available )?context|exceed context limit/i,
		"context",
	],
	[
		/insufficient_quota|insufficient (credit|balance|funds)|billing|exceeded your current quota|payment required|credit balance|API usage limits|spend(ing)? limit/i,
		"credits",
	],
	[
		/model_not_found|model\b.{0,120}(not found|does ?n[o']t exist|is not available|unknown)|unknown model|no such model|invalid model/is,
		"not_found",
	],
	[/invalid_api_key|incorrect api key|invalid (api )?key|authentication_error|unauthorized/i, "auth"],
	[/rate_?limit|too many requests/i, "rate_limit"],
	[/overloaded|server_error|service_unavailable|temporarily unavailable|internal server error/i, "overloaded"],
	[/time_?d? ?out/i, "timeout"],
	[/invalid_request/i, "invalid_request"],
];

const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set(["rate_limit", "overloaded", "network", "timeout", "cut"]);

/** Converts a response with an error status, or an error object inside a stream. */
export function toProviderError(asked: ProviderRequest, { status, body, headers }: ErrorResponse): ModelError {
	const said = errorText(body);
	const kind = kindOf(status, said.all);
	const quote = said.message ? ` ${t("Server response: “{0}”", clean(said.message, asked.secrets))}` : "";
	return new ModelError(kind, sentence(kind, asked, status) + quote, {
		retryable: RETRYABLE.has(kind),
		...parseRetryAfter(headers),
	});
}

function kindOf(status: number | undefined, words: string): ModelErrorKind {
	const fixed = status === 401 || status === 402 || status === 413 ? BY_STATUS[status] : undefined;
	if (fixed) return fixed;
	if (status !== undefined && status >= 300 && status < 400) return "protocol";
	const byText = BY_TEXT.find(([pattern]) => pattern.test(words))?.[1];
	if (byText && !(status !== undefined && status >= 500 && byText !== "context" && byText !== "credits")) return byText;
	if (status === undefined) return "overloaded";
	return BY_STATUS[status] ?? (status >= 500 ? "overloaded" : "invalid_request");
}

function sentence(kind: ModelErrorKind, asked: ProviderRequest, status: number | undefined): string {
	const { provider, origin } = asked;
	const who = status === undefined ? `${provider} (${origin})` : t("{0} ({1}, status {2})", provider, origin, status);
	switch (kind) {
		case "auth":
			return asked.hasKey
				? t("{0} rejected the API key. Set a new key with “Troupe: Set API Key”, then try again.", who)
				: t("{0} requires an API key, but none is set. Run “Troupe: Set API Key”, then try again.", who);
		case "not_found":
			return asked.model
				? t(
						"{0} doesn't offer the model “{1}”. Select another model, or check the provider's “baseUrl” in troupe.providers.",
						who,
						asked.model,
					)
				: t("{0} has no API at this address. Check the provider's “baseUrl” in troupe.providers.", who);
		case "credits":
			return t("{0} rejected the request because the account has no credit left. Add credit, or select another model.", who);
		case "context":
			return t("The conversation is too long for “{0}”. Start a new session, or select a model with a larger context window.", asked.model);
		case "rate_limit":
			return t("Rate limit of {0} reached. Wait a moment and try again, or select another model.", who);
		case "overloaded":
			return t("{0} is temporarily unavailable. Try again in a moment, or select another model.", who);
		case "timeout":
			return t("{0} took too long to respond. Try again, or select another model.", who);
		case "protocol":
			return t(
				"{0} redirected the request. Troupe doesn't follow redirects because they would expose the API key. Set the provider's “baseUrl” in troupe.providers to the final address.",
				who,
			);
		default:
			return t("{0} rejected the request. Select another model, or check the provider in troupe.providers.", who);
	}
}

/** Converts the error of a request without a response, or of an interrupted one. `begun`: part of the answer had arrived. */
export function connectionError(asked: ProviderRequest, error: unknown, begun: boolean): ModelError {
	if (error instanceof ModelError) return error;
	if (begun) return truncatedAnswerError(asked);
	const code = codeOf(error);
	if (/TIMEOUT|TIMEDOUT/.test(code)) {
		return new ModelError(
			"timeout",
			t("{0} didn't respond in time. Check that the server is running and not overloaded, then try again.", asked.origin),
			{
				retryable: true,
			},
		);
	}
	const known =
		/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE|CERT_\w+|DEPTH_\w+|SELF_\w+|UNABLE_\w+|ERR_\w+|UND_\w+)$/;
	const server = known.test(code) ? `${asked.origin} (${code})` : asked.origin;
	return new ModelError(
		"network",
		t(
			"Couldn't reach {0}. Check that the server is running and that “baseUrl” of the provider “{1}” in troupe.providers is correct, then try again.",
			server,
			asked.provider,
		),
		{ retryable: !/^(CERT_|DEPTH_|SELF_|UNABLE_)/.test(code) },
	);
}

export function truncatedAnswerError(asked: ProviderRequest): ModelError {
	return new ModelError(
		"cut",
		t("The response from “{0}” was interrupted: {1} closed the connection. Retry to continue.", asked.model, asked.origin),
		{
			retryable: true,
		},
	);
}

export function idleTimeoutError(asked: ProviderRequest, limit: number): ModelError {
	const long = { style: "unit", unitDisplay: "long" } as const;
	const time =
		limit >= 60_000
			? formatNumber(Math.round(limit / 60_000), { ...long, unit: "minute" })
			: formatNumber(Math.round(limit / 1_000), { ...long, unit: "second" });
	return new ModelError(
		"timeout",
		t("{0} sent nothing for {1}, so the request was canceled. Try again, or select another model.", asked.origin, time),
		{
			retryable: true,
		},
	);
}

export function wrongFormatError(asked: ProviderRequest, what: string): ModelError {
	const happened = t("Unexpected response from {0}: {1}.", asked.origin, what);
	const next =
		asked.wireFormat === "anthropic"
			? t("Check that “baseUrl” of the provider “{0}” in troupe.providers points to an Anthropic API.", asked.provider)
			: t(
					"Check that “baseUrl” of the provider “{0}” in troupe.providers points to an OpenAI-compatible API (often ends in /v1).",
					asked.provider,
				);
	return new ModelError("protocol", `${happened} ${next}`);
}

export function emptyAnswerError(asked: ProviderRequest): ModelError {
	return new ModelError(
		"protocol",
		t("{0} returned an empty response. Try again. If the problem persists, select another model.", asked.origin),
		{
			retryable: true,
		},
	);
}

function errorText(body: unknown): { message: string; all: string } {
	if (typeof body === "string") {
		const parsed = tryParse(body);
		if (parsed !== undefined && typeof parsed === "object") return errorText(parsed);
		return /^\s*</.test(body) ? { message: "", all: "" } : { message: body, all: body };
	}
	if (Array.isArray(body)) return errorText(body[0]);
	if (typeof body !== "object" || body === null) return { message: "", all: "" };
	const inner = (body as Record<string, unknown>)["error"];
	if (inner !== undefined && inner !== null) return errorText(inner);
	const fields = body as Record<string, unknown>;
	const message = [fields["message"], fields["detail"]].find((value) => typeof value === "string") ?? "";
	const all = [fields["code"], fields["type"], message].filter((value) => typeof value === "string").join(" ");
	return { message: String(message), all };
}

/** Status in an error object of a stream. */
export function statusInError(error: unknown): number | undefined {
	if (typeof error !== "object" || error === null) return undefined;
	const { code, status } = error as { code?: unknown; status?: unknown };
	return [code, status].map(Number).find((value) => Number.isInteger(value) && value >= 400 && value < 600);
}

function tryParse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Converts a server's text to one short line without invisible characters and secrets. */
function clean(text: string, secrets: readonly string[]): string {
	let line = toOneLine(text, "selectors");
	for (const secret of secrets) if (secret !== "") line = line.replaceAll(secret, "[key]");
	return line.length > 300 ? `${[...line.slice(0, 299)].join("")}…` : line;
}

function codeOf(error: unknown): string {
	for (let current = error, depth = 0; current instanceof Error && depth < 6; current = current.cause, depth++) {
		const code = (current as { code?: unknown }).code;
		if (typeof code === "string") return code;
		const nested = current instanceof AggregateError ? (current.errors as unknown[])[0] : undefined;
		if (nested) return codeOf(nested);
	}
	return "";
}

/** `retry-after-ms`, otherwise `Retry-After` in seconds or as a date; invalid and past values are ignored. */
export function parseRetryAfter(headers: Headers | undefined, now = Date.now()): { retryAfter?: number } {
	const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
	if (exact >= 0) return { retryAfter: clampWait(exact) };
	const given = headers?.get("retry-after")?.trim() ?? "";
	if (/^\d+(\.\d+)?$/.test(given)) return { retryAfter: clampWait(Number(given) * 1000) };
	const wait = Date.parse(given) - now;
	return /[a-z]/i.test(given) && wait > 0 ? { retryAfter: clampWait(wait) } : {};
}

/** Limits a wait to the maximum delay of a timer. */
function clampWait(milliseconds: number): number {
	return Math.min(Math.round(milliseconds), 2 ** 31 - 1);
}

/** Origin of a base URL, as shown to the user. */
export function originOf(baseUrl: string): string {
	return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}
