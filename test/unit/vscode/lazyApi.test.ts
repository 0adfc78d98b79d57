// The exported API while the engine is not there yet, or does not come.
import assert from "node:assert/strict";
import type { TroupeApi } from "../../../src/api.ts";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import type { Engine } from "../../../src/vscode/engine.ts";
import { createLazyApi } from "../../../src/vscode/lazyEngine.ts";

type Listener = Parameters<TroupeApi["onEvent"]>[0];

/** An engine that fails to load as often as told. */
function flaky(failures: number) {
	const listeners = new Set<Listener>();
	let left = failures;
	const api = {
		agents: async () => [],
		onEvent(listener: Listener) {
			listeners.add(listener);
			return { dispose: () => listeners.delete(listener) };
		},
	};
	return {
		listeners,
		api: createLazyApi({
			current: () => undefined,
			async load() {
				left -= 1;
				if (left >= 0) throw new Error("The disk is gone.");
				return { api } as unknown as Engine;
			},
		}),
	};
}

const event = { sessionId: "s", event: {} as TranscriptEvent };

describe("the exported API before the engine is there", () => {
	it("listens once it is, and no longer than asked", async () => {
		const { api, listeners } = flaky(0);
		let heard = 0;
		const listening = api.onEvent(() => (heard += 1));
		await api.agents();
		for (const listener of listeners) listener(event);
		assert.equal(heard, 1);
		listening.dispose();
		assert.equal(listeners.size, 0);
	});

	it("never listens for one who has let go already", async () => {
		const { api, listeners } = flaky(0);
		api.onEvent(() => undefined).dispose();
		await api.agents();
		assert.equal(listeners.size, 0);
	});

	it("tells those who call why the engine did not load, leaves no rejection behind, and listens when it does", async () => {
		const { api, listeners } = flaky(2);
		const unhandled: unknown[] = [];
		const note = (reason: unknown): void => void unhandled.push(reason);
		process.on("unhandledRejection", note);
		try {
			api.onEvent(() => undefined);
			await assert.rejects(api.agents(), /The disk is gone/);
			await new Promise((resolve) => setImmediate(resolve));
			assert.deepEqual(unhandled, []);
			await api.agents();
			assert.equal(listeners.size, 1);
		} finally {
			process.off("unhandledRejection", note);
		}
	});
});
