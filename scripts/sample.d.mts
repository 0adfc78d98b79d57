/** Resolves with the path of a fresh copy of the sample workspace; its parent is a new temporary folder of its own. */
export function copySample(): Promise<string>;
