// Measures how long the user has been in the window, counting focus in its webviews.

/** Milliseconds that focus takes to move between the window and a page in it; nobody can leave and return that fast. */
const MOVING = 250;

export interface UserPresence {
	/** Reports whether `holder` has the focus. */
	is(holder: unknown, focused: boolean): void;
	/** Returns the time when the user arrived, by `now`'s clock; 0 if they were present from the start. */
	since(): number;
	/** Returns true if the window or one of its pages has the focus. */
	isHere(): boolean;
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
		isHere: () => holders.size > 0,
	};
}
