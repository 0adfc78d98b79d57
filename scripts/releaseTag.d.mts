/** Throws when the tag names no release of this version. */
export function releaseOfTag(tag: string, version: string): { preRelease: boolean };
