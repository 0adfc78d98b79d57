// Converts messages of older Troupe chats and of other programs to transcript events.

import type { EventBody, ToolCall, TranscriptEvent } from "../events.ts";
import { isRecord } from "../isRecord.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Converts one message; returns undefined if the value is not a message. */
export function eventsFromLegacyMessage(line: Fields, seq: number, at: string): TranscriptEvent[] | undefined {
	if (!MESSAGE.some((name) => Object.hasOwn(line, name))) return undefined;
	const id = text(line["id"]) ?? text(line["uuid"]) ?? `older-${seq}`;
	const time = timeOf(line) ?? at;
	const bodies = bodiesOf(line, id);
	return bodies?.map(({ by, ...body }, index) => {
		return { id: index === 0 ? id : `${id}.${index}`, seq: seq + index, at: time, by, ...body } as TranscriptEvent;
	});
}

const MESSAGE = ["text", "content", "tool_calls", "toolCalls", "tool_result", "toolResult"];

type Body = EventBody & { by: TranscriptEvent["by"] };
type Result = Extract<EventBody, { type: "result" }>;

function bodiesOf(line: Fields, id: string): Body[] | undefined {
	const role = text(line["role"])?.toLowerCase();
	if (line["role"] !== undefined && line["role"] !== null && role === undefined) return undefined;
	const content = line["text"] ?? line["content"] ?? "";
	if (typeof content !== "string" && !Array.isArray(content)) return undefined;
	const parts: unknown[] = typeof content === "string" ? [content] : content;
	const messageText = parts
		.map(textOf)
		.filter((part) => part !== "")
		.join("\n");
	if (role === "tool" || role === "function") return [{ ...resultOf(line, resultIn(line) ?? line, messageText), by: "host" }];
	const results = parts.filter((part) => isRecord(part) && part["type"] === "tool_result") as Fields[];
	const ownResults = isRecord(line["tool_result"]) || isRecord(line["toolResult"]) ? [resultIn(line) as Fields] : [];
	const resultEvents = [...results, ...ownResults].map((result): Body => ({ ...resultOf(result, result, ""), by: "host" }));
	if (role === "assistant" || role === "model" || role === "ai") {
		const calls = callsIn(line, parts, id);
		const thinking = parts.map((part) => (isRecord(part) ? (text(part["thinking"]) ?? "") : "")).join("");
		const event: Body = {
			type: "assistant",
			text: messageText,
			...(thinking && { thinking }),
			...(calls.length > 0 && { calls }),
			by: "model",
		};
		return [event, ...resultEvents];
	}
	if (role === undefined || role === "user" || role === "human") {
		return resultEvents.length > 0 && messageText === ""
			? resultEvents
			: [...resultEvents, { type: "user", text: messageText, by: "person" }];
	}
	return [{ type: "status", level: "info", text: messageText, by: "host" }];
}

function resultIn(line: Fields): Fields | undefined {
	const found = line["tool_result"] ?? line["toolResult"];
	return isRecord(found) ? found : undefined;
}

const CALL_IDS = ["tool_call_id", "toolCallId", "tool_use_id", "call_id", "callId", "id"];

function resultOf(line: Fields, result: Fields, messageText: string): Result {
	const call = firstString(CALL_IDS, [result, line]) ?? "";
	const output = ["content", "output", "result", "text"].map((name) => outputOf(result[name])).find((found) => found !== "") ?? messageText;
	const failed = result["is_error"] === true || result["isError"] === true || result["success"] === false;
	return { type: "result", call, status: failed ? "error" : "ok", output };
}

function outputOf(value: unknown): string {
	if (typeof value === "string") return value;
	if (Array.isArray(value)) return value.map(textOf).join("\n");
	return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Calls in OpenAI's, Anthropic's, and a plain format. */
function callsIn(line: Fields, parts: readonly unknown[], id: string): ToolCall[] {
	const listed = line["tool_calls"] ?? line["toolCalls"];
	const toolUses = parts.filter((part) => isRecord(part) && part["type"] === "tool_use");
	return [...(Array.isArray(listed) ? listed : []), ...toolUses].flatMap((entry: unknown, index) => {
		if (!isRecord(entry)) return [];
		const definition = isRecord(entry["function"]) ? entry["function"] : entry;
		const name = text(definition["name"]) ?? text(definition["tool_name"]);
		if (name === undefined) return [];
		const input = ["arguments", "input", "args", "parameters"].map((key) => definition[key]).find((value) => value !== undefined);
		return [{ id: firstString(CALL_IDS, [entry]) ?? `${id}_call_${index}`, name, input: inputOf(input) }];
	});
}

/** Returns the raw string if it is not valid JSON, as in our own calls. */
function inputOf(value: unknown): unknown {
	if (typeof value !== "string") return value ?? {};
	try {
		return value.trim() === "" ? {} : (JSON.parse(value) as unknown);
	} catch {
		return value;
	}
}

function textOf(part: unknown): string {
	if (typeof part === "string") return part;
	if (!isRecord(part)) return "";
	if (part["type"] === "image" || part["type"] === "image_url") return "[image]";
	return part["type"] === "tool_use" || part["type"] === "tool_result" ? "" : (text(part["text"]) ?? "");
}

/** ISO times, and seconds, milliseconds, microseconds, or nanoseconds since 1970. */
function timeOf(line: Fields): string | undefined {
	for (const name of ["at", "timestamp", "created_at", "createdAt"]) {
		const value = line[name];
		const number = typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
		if (typeof number !== "string" && typeof number !== "number") continue;
		const time = new Date(typeof number === "number" ? milliseconds(number) : number);
		if (!Number.isNaN(time.getTime())) return time.toISOString();
	}
	return undefined;
}

/** Seconds before the year 5138 and milliseconds after March 1973 do not overlap. */
function milliseconds(time: number): number {
	const unit = [1e11, 1e14, 1e17].findIndex((limit) => Math.abs(time) < limit);
	return unit < 0 ? time / 1e6 : time * 10 ** (3 - 3 * unit);
}

function firstString(names: readonly string[], records: readonly Fields[]): string | undefined {
	for (const record of records) for (const name of names) if (typeof record[name] === "string" && record[name] !== "") return record[name];
	return undefined;
}

function text(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}
