// Scripted answers of a fake model, independent of any wire format.

// A script is a list of answers in order or a function of the request.

export interface ScriptedCall {
	name: string;
	/** Sent as JSON; a string is sent as it is, also when it is not JSON. */
	input: unknown;
	id?: string;
}

/** Where in an answer something happens: before its first byte, in the middle of text, of a call's JSON, or just before it says why it stopped. */
export type Point = "start" | "text" | "arguments" | "stop";

export type Fault =
	/** Another status, with a body and headers. */
	| { status: number; body?: unknown; headers?: Record<string, string> }
	/** The connection breaks after so many bytes, or at a point; by a reset where that is wanted. */
	| { cut: number | Point; reset?: true }
	/** These bytes where the next piece would stand, and then the end, as if all were well. */
	| { tail: string; at: Point }
	/** Nothing more is sent from this point on; the connection stays open. */
	| { hang: Point }
	/** An error object where the next piece would stand. */
	| { error: unknown; at: Point }
	/** This body under status 200, whatever it is. */
	| { body: string | Uint8Array; contentType?: string };

export interface ScriptedAnswer {
	text?: string;
	thinking?: string;
	calls?: readonly ScriptedCall[];
	usage?: { input: number; output: number; cached?: number; written?: number };
	fault?: Fault;
	/** Awaited before each piece is sent, so that a test decides when it goes out. */
	pace?(piece: number): Promise<void>;
	/** Awaited after the last piece, before the body ends. */
	ending?: Promise<void>;
	/** Bytes of one chunk on the wire; whole events when absent. */
	chunk?: number;
}

export interface AskedMessage {
	role: "system" | "user" | "assistant" | "tool";
	text: string;
	calls: { id: string; name: string; input: unknown }[];
	/** Of a tool message: the call it answers. */
	call?: string;
}

/** A request as it came, and in the words of every format. */
export interface AskedRequest {
	format: string;
	path: string;
	headers: Record<string, string>;
	body: Record<string, unknown>;
	model: string;
	messages: AskedMessage[];
	/** Names of the tools offered. */
	tools: string[];
	/** Position among all requests for an answer, from 0. */
	number: number;
}

export type Script = readonly ScriptedAnswer[] | ((request: AskedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** One piece of an answer on the wire. */
export interface Frame {
	point: Point;
	bytes: string;
}

/** A wire format. Another joins by a line in `formats.ts`. */
export interface WireFormat {
	name: string;
	contentType: string;
	read(body: Record<string, unknown>): Pick<AskedRequest, "model" | "messages" | "tools">;
	/** The error with which the real servers answer such a request. */
	refuse?(body: Record<string, unknown>): object | undefined;
	frames(answer: ScriptedAnswer, request: AskedRequest): Frame[];
	error(error: unknown): string;
}
