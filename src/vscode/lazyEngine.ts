// Builds the engine on first use, and after pages that are opening: it is work of one piece, which holds up their host.
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
