// Reads from a version of git whether it can be kept from running what a repository names.

/** The first of each line with GIT_NO_LAZY_FETCH (May 2024); GIT_CONFIG_COUNT is in all of them, since 2.31. */
const FIRST_PATCH: Readonly<Record<number, number>> = { 39: 4, 40: 2, 41: 1, 42: 2, 43: 4, 44: 1, 45: 1 };
const LAST_LINE = 45;

/** Takes what `git --version` prints; what is no version counts as too old. */
export function canBeHardened(version: string): boolean {
	const [, major = 0, minor = 0, patch = 0] = /^git version (\d+)\.(\d+)(?:\.(\d+))?/.exec(version)?.map(Number) ?? [];
	if (major !== 2) return major > 2;
	return minor > LAST_LINE || patch >= (FIRST_PATCH[minor] ?? Number.POSITIVE_INFINITY);
}
