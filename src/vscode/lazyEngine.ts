// Builds the engine on first use, after webviews that are opening.

// The build is one long task that would delay those webviews in the extension host.

import type { TroupeApi } from "../api.ts";
import { withTimeout } from "../shared/node/withTimeout.ts";
import type { Engine, LazyEngine } from "./engine.ts";

/** Milliseconds to wait for pages: a hidden one may never load. */
const PAGE_TIMEOUT = 1_000;

export interface DeferredEngine extends LazyEngine {
	/** Delays loading until this resolves or times out. */
	deferUntil(page: Promise<unknown>): void;
}

export function createLazyEngine(build: () => Promise<Engine>, longest = PAGE_TIMEOUT): DeferredEngine {
	let building: Promise<Engine> | undefined;
	let built: Engine | undefined;
	const opening = new Set<Promise<unknown>>();

	async function begin(): Promise<Engine> {
		// Let this host's pending messages to the editor out first.
		await new Promise((resolve) => setTimeout(resolve, 0));
		await waitForPages();
		built = await build();
		return built;
	}

	async function waitForPages(): Promise<void> {
		const opened = async (): Promise<void> => {
			while (opening.size > 0) await Promise.race(opening);
		};
		await withTimeout(opened(), longest, () => opening.clear());
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
			const opened: Promise<unknown> = page.catch(() => undefined).then(() => opening.delete(opened));
			opening.add(opened);
		},
	};
}

/** Builds the engine without waiting for the user if an earlier window left work. Doesn't delay activation. */
export function loadAfterActivation(
	engine: Pick<LazyEngine, "load">,
	hasWorkLeft: () => Promise<boolean>,
	log: (error: unknown) => void,
): void {
	const load = async (): Promise<void> => {
		if (await hasWorkLeft()) await engine.load();
	};
	setTimeout(() => void load().catch(log), 0);
}

export function createLazyApi(engine: LazyEngine): TroupeApi {
	/** Listeners waiting for the engine; if loading fails, the next successful call connects them. */
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
			// The next API call reports why loading failed; a listener can't.
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
