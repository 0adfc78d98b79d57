import type { BuildOptions } from "esbuild";

export const webviewBuild: BuildOptions & { metafile: true };
