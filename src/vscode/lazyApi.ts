// The exported API before the engine is there: each call loads it first.
import type { TroupeApi } from "../api.ts";
import type { LazyEngine } from "./engine.ts";

export function createLazyApi(engine: LazyEngine): TroupeApi {
	/** Listeners that wait for the engine; should loading it fail, the next call that succeeds connects them. */
	const waiting = new Set<(api: TroupeApi) => void>();
	const api = async (): Promise<TroupeApi> => {
		const { api } = await engine.load();
		for (const connect of waiting) connect(api);
		waiting.clear();
		return api;
	};
	return {
		apiVersion: 1,
		agents: async () => (await api()).agents(),
		sessions: async () => (await api()).sessions(),
		createSession: async (options) => (await api()).createSession(options),
		send: async (sessionId, text, options) => (await api()).send(sessionId, text, options),
		executePlan: async (sessionId) => (await api()).executePlan(sessionId),
		setRole: async (sessionId, role, options) => (await api()).setRole(sessionId, role, options),
		answer: async (sessionId, requestId, answer) => (await api()).answer(sessionId, requestId, answer),
		pending: async (sessionId) => (await api()).pending(sessionId),
		cancel: async (sessionId) => (await api()).cancel(sessionId),
		tools: async (sessionId) => (await api()).tools(sessionId),
		transcript: async (sessionId) => (await api()).transcript(sessionId),
		onEvent(listener) {
			let listening: { dispose(): void } | undefined;
			const connect = (loaded: TroupeApi): void => {
				listening = loaded.onEvent(listener);
			};
			waiting.add(connect);
			// Whoever calls next is told why the engine did not load; a listener has nobody to tell.
			api().catch(() => undefined);
			return {
				dispose() {
					waiting.delete(connect);
					listening?.dispose();
				},
			};
		},
	};
}
