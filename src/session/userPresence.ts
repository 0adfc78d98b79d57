// Measures how long the user has been in the window, counting focus in its webviews.

/** Milliseconds that the focus takes to move between the window and a page in it; nobody leaves and comes back in that time. */
const MOVING = 250;

export interface UserPresence {
	/** `holder` has the focus now, or not any more. */
	is(holder: unknown, focused: boolean): void;
	/** When the person came, as `now` tells it; 0 where they were here from the start. */
	since(): number;
}

export function createUserPresence(now: () => number = Date.now): UserPresence {
	const holders = new Set<unknown>();
	let came = 0;
	let left: number | undefined;
	return {
		is(holder, focused) {
			const here = holders.size > 0;
			if (focused) holders.add(holder);
			else holders.delete(holder);
			if (here && holders.size === 0) left = now();
			if (!here && focused && left !== undefined && now() - left > MOVING) came = now();
		},
		since: () => came,
	};
}
