// Folds a list that grows from request to request, so that only what is new is added.

interface Known<Item> {
	key: string;
	items: Item[];
	state: unknown;
}

/** Number of lists whose last fold is kept: those of the sessions that asked last. */
const KEPT = 8;

/** Keeps the last fold of the lists that were folded last, each as long as its first item exists. */
export class ContinuedFold<Item extends object> {
	private readonly known = new WeakMap<Item, Known<Item>>();
	/** The first items of these lists, the last one first. */
	private recent: WeakRef<Item>[] = [];

	/**
	 * Continues the last fold of a list that begins with the same items; begins again if the list or the key no longer does. The key
	 * names the type of the state and everything that it depends on beside the items; it may grow with them.
	 */
	fold<State>(items: readonly Item[], key: string, begin: () => State, add: (state: State, item: Item) => void): State {
		const [first] = items;
		if (!first) return begin();
		const last = this.known.get(first);
		const isContinued = last && key.startsWith(last.key) && startsWith(items, last.items);
		const { items: added, state }: Omit<Known<Item>, "key"> = isContinued ? last : { items: [], state: begin() };
		// Forgotten if `add` throws, which leaves the state unfinished.
		this.known.delete(first);
		for (let at = added.length; at < items.length; at += 1) {
			add(state as State, items[at] as Item);
			added.push(items[at] as Item);
		}
		this.keep(first, { key, items: added, state });
		return state as State;
	}

	private keep(first: Item, known: Known<Item>): void {
		this.known.set(first, known);
		if (this.recent[0]?.deref() === first) return;
		this.recent = [new WeakRef(first), ...this.recent.filter((item) => item.deref() !== first)];
		for (const item of this.recent.splice(KEPT)) {
			const old = item.deref();
			if (old) this.known.delete(old);
		}
	}
}

/** A loop, since it runs over everything in each request. */
function startsWith(items: readonly object[], start: readonly object[]): boolean {
	for (let at = 0; at < start.length; at += 1) if (items[at] !== start[at]) return false;
	return true;
}
