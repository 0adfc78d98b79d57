// The exported API before the engine is there: each call loads it first.
import type { TroupeApi } from "../api.ts";
import type { LazyEngine } from "./engine.ts";

export function lazyApi(engine: LazyEngine): TroupeApi {
	const api = async () => (await engine.load()).api;
	return {
		apiVersion: 1,
		agents: async () => (await api()).agents(),
		sessions: async () => (await api()).sessions(),
		createSession: async (options) => (await api()).createSession(options),
		send: async (sessionId, text) => (await api()).send(sessionId, text),
		executePlan: async (sessionId) => (await api()).executePlan(sessionId),
		setRole: async (sessionId, role) => (await api()).setRole(sessionId, role),
		answer: async (sessionId, requestId, answer) => (await api()).answer(sessionId, requestId, answer),
		pending: async (sessionId) => (await api()).pending(sessionId),
		cancel: async (sessionId) => (await api()).cancel(sessionId),
		tools: async (sessionId) => (await api()).tools(sessionId),
		transcript: async (sessionId) => (await api()).transcript(sessionId),
		onEvent(listener) {
			let disposed = false;
			let listening: { dispose(): void } | undefined;
			void engine.load().then((loaded) => {
				if (!disposed) listening = loaded.api.onEvent(listener);
			});
			return {
				dispose() {
					disposed = true;
					listening?.dispose();
				},
			};
		},
	};
}
