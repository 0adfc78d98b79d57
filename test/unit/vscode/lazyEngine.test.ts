// Tests the lazy engine: built on first use, once, and after pages that are still opening.
import assert from "node:assert/strict";
import type { Engine } from "../../../src/vscode/engine.ts";
import { createLazyEngine, loadAfterActivation } from "../../../src/vscode/lazyEngine.ts";

describe("the engine that is built on first use", () => {
	const engine = {} as Engine;

	function building(longest?: number) {
		const order: string[] = [];
		const lazy = createLazyEngine(async () => {
			order.push("built");
			return engine;
		}, longest);
		return { lazy, order };
	}

	it("waits until pages that are opening have said their first word, also those that came after it was asked for", async () => {
		const { lazy, order } = building(60_000);
		const [first, second] = [later(), later()];
		lazy.deferUntil(first.there);
		const loading = lazy.load();
		lazy.deferUntil(second.there);
		await tick();
		order.push("first");
		first.say();
		await tick();
		order.push("second");
		second.say();
		assert.equal(await loading, engine);
		assert.deepEqual(order, ["first", "second", "built"]);
		assert.equal(lazy.current(), engine);
	});

	it("does not wait for ever for a page that never loads", async () => {
		const { lazy } = building(20);
		lazy.deferUntil(new Promise(() => undefined));
		assert.equal(await lazy.load(), engine);
	});

	it("is built once for all who ask, and anew where that failed", async () => {
		let tries = 0;
		const lazy = createLazyEngine(async () => {
			tries += 1;
			if (tries === 1) throw new Error("no disk");
			return engine;
		});
		await Promise.all([assert.rejects(lazy.load(), /no disk/), assert.rejects(lazy.load(), /no disk/)]);
		assert.equal(lazy.current(), undefined);
		assert.equal(await lazy.load(), engine);
		assert.equal(tries, 2);
	});

	it("is built after activation if an earlier window left work", async () => {
		const order: string[] = [];
		await new Promise<void>((resolve) => {
			const lazy = createLazyEngine(async () => {
				order.push("built");
				resolve();
				return engine;
			});
			loadAfterActivation(lazy, async () => true, unexpected);
			order.push("activated");
		});
		assert.deepEqual(order, ["activated", "built"]);
	});

	it("is not built after activation if nothing was left", async () => {
		const load = () => assert.fail("it was loaded");
		await new Promise<void>((resolve) => {
			const hasWorkLeft = async () => {
				setImmediate(resolve);
				return false;
			};
			loadAfterActivation({ load }, hasWorkLeft, unexpected);
		});
	});

	it("is not built where what was left can't be read, and the reason is logged", async () => {
		const { lazy, order } = building();
		const error = new Error("no disk");
		const logged = await new Promise((resolve) => loadAfterActivation(lazy, () => Promise.reject(error), resolve));
		assert.deepEqual([logged, order], [error, []]);
	});
});

function unexpected(error: unknown): void {
	assert.fail(String(error));
}

function later(): { there: Promise<void>; say(): void } {
	let say = (): void => undefined;
	const there = new Promise<void>((resolve) => {
		say = resolve;
	});
	return { there, say };
}

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
