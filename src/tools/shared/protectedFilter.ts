// Omits protected paths from listings and searches, except where the user allowed this call.
import type { ToolContext } from "../../core/ports/tool.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { findProtectedPart } from "../../core/protected/protectedNames.ts";
import { childPath } from "./toolHelpers.ts";

/** Number of concurrent file system queries. */
const BATCH = 64;

/** The items whose paths may be shown. `root` is the path that the call names. */
export async function filterVisible<T>(
	context: Pick<ToolContext, "visible"> & { workspace: Pick<Workspace, "folders"> },
	items: readonly T[],
	pathOf: (item: T) => string,
	root?: string,
): Promise<T[]> {
	if (root !== undefined && (await isAllowedRoot(context, root))) return [...items];
	const answers = new Map<string, boolean>();
	const paths = [...new Set(items.map(pathOf))];
	for (let start = 0; start < paths.length; start += BATCH) {
		const batch = paths.slice(start, start + BATCH);
		const together = new Map();
		await Promise.all(batch.map(async (path) => answers.set(path, await context.visible(path, together))));
	}
	return items.filter((item) => answers.get(pathOf(item)));
}

/** Resolves to true if the named root is protected: the user then allowed the call, which includes the root's contents. */
export async function isAllowedRoot(
	{ visible, workspace }: Pick<ToolContext, "visible"> & { workspace: Pick<Workspace, "folders"> },
	root: string,
): Promise<boolean> {
	if (workspace.folders().some((folder) => folder.path === root)) return false;
	return !(await visible(root));
}

export function protectedNote(count: number, label: string): string[] {
	return count > 0 ? [`[${count} protected ${label}]`] : [];
}

/** Matches a superset of the protected names, each pattern short enough for a glob. Git's own folder is never searched. */
export const PROTECTED_GLOBS = [
	"**/*.{env,pem,key,p12,pfx,p8,pk8,pkcs8,pkcs12,pvk,snk,ppk,jks,jceks,bks,keystore,keytab,kdb,kdbx,keychain,keychain-db,agekey,ovpn}*",
	"**/.{env,dev,local,renv,vault,authinfo,npmrc,yarnrc,netrc,git-c,py,pg,my,ht,docker,boto,s3,pass,rclone,terra,data,sentry,p4,cvs,fetch}*",
	"**/.{msmtp,mbsync,smb,token,hist,less,vim,cred,secret,snow,ngrok}*",
	"**/{.*_history,_netrc,krb5cc_*,pgpass*,htpasswd*,vault*,rclone*,terraform*,ngrok*,oauth*,wallet*,cookies*,wp-config*}",
	"**/{env.,id_,ssh_host_,kubeconfig}*",
	"**/*{secret,cred,service-account,service_account,serviceaccount,firebase,gcp-key,gcloud-key,properties,kubeconfig,tfstate,tfvars,pkrvars}*",
	"**/{auth.json,hosts.yml,config.json,config.yml,config,settings.xml,settings-security.xml,profiles.yml}",
	"**/{.ssh,.gnupg,.aws,.azure,.oci,.kube,.gcloud,.password-store,.envs,.environment,.snowsql,.ngrok2,.codespaces}/**",
	"**/{.secret,.secrets,.credentials,.config/hub,.config/gcloud,.subversion/auth}/**",
];
const COUNT_LIMIT = 2_000;

/** Takes a path relative to the search root; the root itself was allowed with the call. */
export function isProtectedPath(inside: string): boolean {
	return findProtectedPart(inside) !== undefined;
}

interface Root {
	literal: string;
	real: string;
}

/** Counts per turn, keyed by its signal: models search the same folder repeatedly, and each count starts programs. */
const counted = new WeakMap<AbortSignal, Map<string, Promise<number>>>();

/** Number of protected files that a search with this glob skips, counted once per turn. */
export function countProtected(context: ToolContext, glob: string | undefined, root: Root | undefined): Promise<number> {
	const counts = counted.get(context.signal) ?? new Map<string, Promise<number>>();
	counted.set(context.signal, counts);
	const key = JSON.stringify([glob, root?.real]);
	let count = counts.get(key);
	if (count === undefined) {
		count = countBelow(context, glob, root);
		counts.set(key, count);
		count.catch(() => counts.delete(key));
	}
	return count;
}

async function countBelow(context: ToolContext, glob: string | undefined, root: Root | undefined): Promise<number> {
	const { workspace, signal } = context;
	if (root && (await workspace.stat(root.real))?.type !== "directory") return 0;
	const places = root ? [root] : workspace.folders().map((folder) => ({ literal: folder.path, real: folder.path }));
	let count = 0;
	for (const place of places) {
		const found = await workspace.find(glob ?? PROTECTED_GLOBS, { under: place.real, limit: COUNT_LIMIT, signal });
		const named = found.paths.filter(isProtectedPath).map((name) => childPath(place.literal, name));
		const visible = await filterVisible(context, named, (path) => path);
		count += named.length - visible.length;
	}
	return count;
}
