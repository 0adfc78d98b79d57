export const browserArguments: readonly string[];
/** By the names that Chromium gives them. */
export const disabledFeatures: readonly string[];
/** The path of a browser. Throws with the fix when there is none and none can be had. */
export function ensureBrowser(options?: { say?: (text: string) => void }): Promise<string>;
