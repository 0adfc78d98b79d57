// Between client and transport: requests go out under ids nobody can guess, and answers that nobody asked for are dropped.
import { randomInt } from "node:crypto";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

type Id = string | number;

export function withRandomIds<T extends Transport>(transport: T, dropped: (what: string) => void): T {
	const send = transport.send.bind(transport);
	/** By the random id. */
	const own = new Map<Id, Id>();
	const random = new Map<Id, Id>();
	let receive: Transport["onmessage"];

	transport.send = (message, options) => send(outgoing(message), options);
	Object.defineProperty(transport, "onmessage", {
		get: () =>
			receive &&
			((message: JSONRPCMessage, extra?: never) => {
				const known = incoming(message);
				if (known) receive?.(known, extra);
			}),
		set: (handler: Transport["onmessage"]) => {
			receive = handler;
		},
	});
	return transport;

	function outgoing(message: JSONRPCMessage): JSONRPCMessage {
		if (!("method" in message)) return message;
		if (!("id" in message)) {
			const cancelled = message.method === "notifications/cancelled" ? (message.params?.["requestId"] as Id | undefined) : undefined;
			const id = cancelled === undefined ? undefined : random.get(cancelled);
			if (id === undefined) return message;
			forget(id);
			return { ...message, params: { ...message.params, requestId: id } };
		}
		let id = randomInt(1, 2 ** 31);
		while (own.has(id)) id = randomInt(1, 2 ** 31);
		own.set(id, message.id as Id);
		random.set(message.id as Id, id);
		const meta = message.params?._meta as Record<string, unknown> | undefined;
		if (meta?.["progressToken"] === undefined) return { ...message, id };
		return { ...message, id, params: { ...message.params, _meta: { ...meta, progressToken: id } } };
	}

	function incoming(message: JSONRPCMessage): JSONRPCMessage | undefined {
		if ("method" in message) {
			if (message.method !== "notifications/progress") return message;
			const mine = own.get(message.params?.["progressToken"] as Id);
			return mine === undefined ? undefined : { ...message, params: { ...message.params, progressToken: mine } };
		}
		const id = message.id as Id | undefined;
		const mine = id === undefined ? undefined : own.get(id);
		if (id === undefined || mine === undefined) {
			dropped(`an answer to ${JSON.stringify(id ?? null)}, which was not asked or has been answered`);
			return undefined;
		}
		forget(id);
		return { ...message, id: mine };
	}

	function forget(id: Id): void {
		random.delete(own.get(id) as Id);
		own.delete(id);
	}
}
