// Files that usually hold secrets, by name. The gate decides what is protected; these names only say where to look for it
// without opening anything, so that how many files a search left out does not depend on what they hold.
import type { ToolContext } from "../core/tool.ts";
import { visibleAmong } from "./visibility.ts";
import { below } from "./workspacePath.ts";

const SECRET_GLOB =
	"**/{.env,.env.*,.envrc,.npmrc,.yarnrc*,*.pem,*.key,*.p12,*.pfx,*.jks,*.keystore,id_rsa*,id_dsa*,id_ecdsa*,id_ed25519*}";
const SECRET_NAME =
	/^(\.env|\.env\..*|\.envrc|\.npmrc|\.yarnrc.*|.*\.(pem|key|p12|pfx|jks|keystore)|id_(rsa|dsa|ecdsa|ed25519).*|\.netrc|\.pgpass|\.git-credentials|credentials)$/i;
const LOOKED_AT = 2_000;

export function isSecret(path: string): boolean {
	const segments = path.split("/");
	return SECRET_NAME.test(segments.at(-1) ?? "") || segments.some((segment) => segment.toLowerCase() === ".git");
}

/** How many protected files a search with this glob passes by. */
export async function protectedBelow(
	context: ToolContext,
	glob: string | undefined,
	root: { literal: string; real: string } | undefined,
): Promise<number> {
	const { workspace, signal } = context;
	if (root && (await workspace.stat(root.real))?.type !== "directory") return 0;
	const places = root ? [root] : workspace.folders().map((folder) => ({ literal: folder.path, real: folder.path }));
	let count = 0;
	for (const place of places) {
		const { paths } = await workspace.find(glob ?? SECRET_GLOB, { under: place.real, limit: LOOKED_AT, signal });
		const named = paths.map((name) => below(place.literal, name)).filter(isSecret);
		const visible = await visibleAmong(context, named, (path) => path);
		count += named.length - visible.length;
	}
	return count;
}
