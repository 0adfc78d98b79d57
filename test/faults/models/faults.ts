// The faults of the matrix as data: the failure at each point of an answer, and its expected outcome.
import type { Fault, Point } from "../../fakes/modelServer/script.ts";

/** Where in an answer: before anything of it, in its words, in a call's JSON behind words or without any, and before its end. */
export const PLACES = ["first byte", "text", "tool JSON", "tool JSON, no words", "before stop"] as const;
export type Place = (typeof PLACES)[number];

export const POINTS: Record<Place, Point> = {
	"first byte": "start",
	text: "text",
	"tool JSON": "arguments",
	"tool JSON, no words": "arguments",
	"before stop": "stop",
};

/** What happens to the request on its way, beside what the server does. */
export type Trouble =
	/** The connection's error is one with this code. */
	| { code: string }
	/** The command connects to a server whose certificate nobody vouches for. */
	| "untrusted"
	/** The command connects to a name that no server has. */
	| "nowhere";

export interface FaultKind {
	name: string;
	/** Before the first byte. */
	first: { fault?: Fault | (() => Fault); trouble?: Trouble };
	/** In an answer that has begun; there is no such thing where absent. */
	later?(at: Point): { fault: Fault; trouble?: Trouble };
	/** Milliseconds waited before asking again, in whose tenth it must be; it must not be asked again where absent. */
	wait?: number;
	/** The same where the answer has begun, so that no header says how long. */
	laterWait?: number;
	/** The conversation is made shorter, once; the same request never goes out again. */
	shortens?: true;
	/** Every attempt fails. */
	always?: boolean;
	/** A person must be told this. */
	says: RegExp;
}

const refused = (code: number, type: string, message: string, headers?: Record<string, string>): Pick<FaultKind, "first" | "later"> => ({
	first: { fault: { status: code, body: { type: "error", error: { type, message } }, ...(headers && { headers }) } },
	later: (at) => ({ fault: { error: { type, message, code }, at } }),
});

/** Refused for good: such errors come before an answer only. */
const never = (name: string, code: number, type: string, message: string, says: RegExp): FaultKind => ({
	name,
	first: refused(code, type, message).first,
	says,
});

const limited = (headers?: Record<string, string>) => refused(429, "rate_limit_error", "Slow down", headers);
const cut = (at: Point): Fault => ({ cut: at });
const TOO_LONG = "prompt is too long: 215000 tokens > 200000 maximum";
const PAGE = "<html><body><h1>502 Bad Gateway</h1></body></html>";

export const FAULTS: readonly FaultKind[] = [
	{ name: "429", ...limited(), wait: 2_000, says: /Rate limit (of|reached)/ },
	{
		name: "429 Retry-After: 7",
		...limited({ "retry-after": "7" }),
		wait: 7_000,
		laterWait: 2_000,
		says: /Rate limit (of|reached)/,
	},
	{
		name: "429 retry-after-ms: 1500",
		...limited({ "retry-after-ms": "1500" }),
		wait: 1_500,
		laterWait: 2_000,
		says: /Rate limit (of|reached)/,
	},
	{
		name: "429 Retry-After: <date>",
		first: {
			fault: () => ({
				status: 429,
				body: { error: { type: "rate_limit_error", message: "Slow down" } },
				headers: { "retry-after": new Date(Date.now() + 20_000).toUTCString() },
			}),
		},
		wait: 20_000,
		says: /Rate limit (of|reached)/,
	},
	{
		name: "429 Retry-After: 300",
		first: limited({ "retry-after": "300" }).first,
		wait: 60_000,
		says: /Rate limit (of|reached)/,
	},
	{ name: "500", ...refused(500, "api_error", "Internal server error"), wait: 2_000, says: /temporarily unavailable/ },
	{ name: "502", ...refused(502, "api_error", "Bad gateway"), wait: 2_000, says: /temporarily unavailable/ },
	{ name: "503", ...refused(503, "overloaded_error", "Service unavailable"), wait: 2_000, says: /temporarily unavailable/ },
	{ name: "529", ...refused(529, "overloaded_error", "Overloaded"), wait: 2_000, says: /temporarily unavailable/ },
	{ name: "408", ...refused(408, "timeout_error", "Timed out"), wait: 2_000, says: /took too long/ },
	{
		name: "ECONNRESET",
		first: { fault: { cut: "start", reset: true } },
		later: (at) => ({ fault: { cut: at, reset: true } }),
		wait: 2_000,
		says: /Couldn't reach|interrupted/,
	},
	{
		name: "ETIMEDOUT",
		first: { fault: cut("start"), trouble: { code: "ETIMEDOUT" } },
		later: (at) => ({ fault: cut(at), trouble: { code: "ETIMEDOUT" } }),
		wait: 2_000,
		says: /didn't respond in time|interrupted/,
	},
	{ name: "TLS: untrusted", first: { trouble: "untrusted" }, says: /Couldn't reach .* \(DEPTH_ZERO_SELF_SIGNED_CERT\)/ },
	{
		name: "TLS: broken record",
		first: { fault: cut("start"), trouble: { code: "ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC" } },
		later: (at) => ({ fault: cut(at), trouble: { code: "ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC" } }),
		wait: 2_000,
		says: /Couldn't reach|interrupted/,
	},
	{ name: "DNS", first: { trouble: "nowhere" }, wait: 2_000, says: /Couldn't reach .* \((ENOTFOUND|EAI_AGAIN)\)/ },
	{
		name: "200 + error event",
		first: { fault: { error: { type: "overloaded_error", message: "Overloaded" }, at: "start" } },
		later: (at) => ({ fault: { error: { type: "overloaded_error", message: "Overloaded" }, at } }),
		wait: 2_000,
		says: /temporarily unavailable/,
	},
	{
		name: "HTML body",
		first: { fault: { body: PAGE, contentType: "text/html" } },
		says: /a web page/,
	},
	{
		name: "HTML in the stream",
		first: { fault: { status: 502, body: PAGE } },
		later: (at) => ({ fault: { tail: PAGE, at } }),
		wait: 2_000,
		says: /temporarily unavailable|interrupted/,
	},
	{ name: "empty 200", first: { fault: { body: "" } }, wait: 2_000, says: /empty response/ },
	{
		name: "closed early",
		first: { fault: cut("start") },
		later: (at) => ({ fault: { tail: "", at } }),
		wait: 2_000,
		says: /Couldn't reach|interrupted/,
	},
	{
		name: "idle",
		first: { fault: { hang: "start" } },
		later: (at) => ({ fault: { hang: at } }),
		wait: 2_000,
		says: /sent nothing for|didn't respond/,
	},
	{
		name: "503 for good",
		first: refused(503, "overloaded_error", "Service unavailable").first,
		wait: 2_000,
		always: true,
		says: /temporarily unavailable/,
	},
	never("400", 400, "invalid_request_error", "tools.0: wrong", /rejected the request/),
	never("401", 401, "authentication_error", "invalid key", /rejected the API key/),
	never("403", 403, "permission_error", "No access", /key/),
	never("404", 404, "not_found_error", "model: one", /doesn't offer the model/),
	{ ...never("context", 400, "invalid_request_error", TOO_LONG, /too long/), shortens: true },
	{ ...never("context for good", 400, "invalid_request_error", TOO_LONG, /too long/), shortens: true, always: true },
	never("credits", 402, "billing_error", "Your credit balance is too low", /no credit left/),
];
