// Whether a block of code still waits for the line that closes it.

/** A fence at the margin that no later line closes. */
export function isOpenFence(source: string): boolean {
	const opening = /^(`{3,}|~{3,})[^\n`]*\n/.exec(source);
	if (!opening) return false;
	const fence = opening[1] as string;
	const closing = new RegExp(`\\n {0,3}${fence[0]}{${fence.length},}[ \\t]*(?:\\n|$)`);
	return !closing.test(source.slice(opening[0].length - 1));
}
