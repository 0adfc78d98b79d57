// Builds the engine on first use, and after webviews that are opening.

// The build is a single block of work that would delay those webviews' extension host.

import type { TroupeApi } from "../api.ts";
import type { Engine, LazyEngine } from "./engine.ts";

/** Milliseconds that pages are waited for: a hidden one may never load. */
const PAGES_FIRST = 1_000;

export interface DeferredEngine extends LazyEngine {
	/** A page is opening: loading begins once this resolves, or has taken too long. */
	deferUntil(page: Promise<unknown>): void;
}

export function createLazyEngine(build: () => Promise<Engine>, longest = PAGES_FIRST): DeferredEngine {
	let building: Promise<Engine> | undefined;
	let built: Engine | undefined;
	const opening = new Set<Promise<unknown>>();

	async function begin(): Promise<Engine> {
		// What this host has said to the editor leaves first.
		await new Promise((resolve) => setTimeout(resolve, 0));
		await pagesOrTooLong();
		built = await build();
		return built;
	}

	async function pagesOrTooLong(): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const tooLong = new Promise<void>((resolve) => {
			timer = setTimeout(resolve, longest);
		}).then(() => opening.clear());
		while (opening.size > 0) await Promise.race([tooLong, ...opening]);
		clearTimeout(timer);
	}

	return {
		load() {
			building ??= begin().catch((error: unknown) => {
				building = undefined;
				throw error;
			});
			return building;
		},
		current: () => built,
		deferUntil(page) {
			const there: Promise<unknown> = page.catch(() => undefined).then(() => opening.delete(there));
			opening.add(there);
		},
	};
}

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
