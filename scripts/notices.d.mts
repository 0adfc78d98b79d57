import type { Metafile } from "esbuild";

/** The text of THIRD_PARTY_NOTICES.md for these bundles, which were built in `root`. */
export function thirdPartyNotices(metafiles: readonly Metafile[], root: string): Promise<string>;
