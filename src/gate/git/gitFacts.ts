// Collects a git command's facts from git and disk: repository settings, hooks, addresses, and printed files.
import { homedir } from "node:os";
import { hasHidden } from "../../core/hiddenText.ts";
import type { GateContext } from "../../core/ports/gate.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { Disk } from "../../core/ports/workspace/files.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { originalPath } from "../copiedPaths.ts";
import type { LstatCache, PathResolver } from "../pathResolver.ts";
import type { GitChecks, GitContent } from "../programs/assessment.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import { type GitConfiguration, type GitSetting, readGitConfiguration } from "./configuration.ts";
import { plainRemoteAddress, settingRiskOf } from "./harmlessKeys.ts";
import { withoutCountLimits } from "./historyFlags.ts";
import { type GitRepository, submodulesOf } from "./repository.ts";
import { shownFiles } from "./shownFiles.ts";

interface GitContext {
	gateContext: GateContext;
	paths: PathResolver;
	/** Paths looked up for this line. */
	look: LstatCache;
}

export interface GitFacts {
	/** Reason why it requires approval even if a rule allows it, as a sentence. */
	always?: string;
	/** Set with `always`: an approval bound to `bound` still applies. */
	lasts?: true;
	/** Reason why it requires approval unless git runs hardened, as every command allowed as read-only does. */
	unlessHardened?: string;
	/** Hash of the settings, hooks, and addresses that an approval is bound to; absent if there are none. */
	bound?: string;
	/** Names of the hooks that it would run. */
	hooks?: readonly string[];
	/** Addresses that it connects to. */
	addresses?: readonly string[];
	/** Protected files among those that it would print. */
	paths?: PathFacts[];
}

/** Facts collected so far from all folders. */
interface Findings {
	always?: string;
	/** `always` concerns only what the approval is bound to. */
	lasts: boolean;
	unlessHardened?: string;
	parts: string[];
	hooks: Set<string>;
	addresses: Set<string>;
	paths: PathFacts[];
}

const MAX_REPOSITORIES = 40;

/** `here`: the folders that the command may run in. */
export async function gitFacts(context: GitContext, need: GitChecks, here: readonly string[]): Promise<GitFacts> {
	const findings: Findings = { lasts: true, parts: [], hooks: new Set(), addresses: new Set(), paths: [] };
	const folders = new Set<string>();
	for (const base of here) {
		const { real } = await context.paths.word(need.folder ?? ".", base, "read", context.look);
		folders.add(await existing(context.look, real));
	}
	for (const folder of folders) await gather(context, need, folder, findings);
	const { always, lasts, unlessHardened, parts, hooks, addresses, paths } = findings;
	return {
		...(always !== undefined && { always, ...(lasts && { lasts: true as const }) }),
		...(unlessHardened !== undefined && { unlessHardened }),
		...(parts.length > 0 && {
			bound: sha256([...new Set(parts)].sort().join("\0")),
		}),
		...(hooks.size > 0 && { hooks: [...hooks] }),
		...(addresses.size > 0 && { addresses: [...addresses] }),
		...(paths.length > 0 && { paths }),
	};
}

/** A folder that does not exist yet belongs to the repository of its closest existing parent. */
async function existing(look: LstatCache, folder: string): Promise<string> {
	for (let path = folder; ; path = toForwardSlashes(nativePath.dirname(path))) {
		const found = await look(path).catch(() => undefined);
		if (found?.type === "directory" || nativePath.dirname(path) === path) return path;
	}
}

async function gather(context: GitContext, need: GitChecks, folder: string, findings: Findings): Promise<void> {
	const configured = await readGitConfiguration(context.gateContext, context.look, folder);
	judgeSettings(context, configured, need, findings, "");
	const { repository } = configured;
	if (!repository) {
		// Outside a repository, git compares and searches any files.
		if (need.content) addConcern(findings, t("The command runs outside a repository."), false);
		return;
	}
	if (need.submodules) await gatherBelow(context, need, configured, findings);
	if (need.hooks) await gatherHooks(context, configured, need.hooks, findings);
	else if (need.use === "read") await hooksUnlessHardened(context, configured, findings);
	if (need.remote !== undefined) await gatherAddresses(context, configured, need.remote, folder, findings);
	if (need.addresses) await checkCredentials(context, need.addresses, folder, findings);
	for (const { key, value } of configured.settings) {
		if (value !== "" && need.namedFiles?.includes(key))
			findings.paths.push(await context.paths.word(value, repository.top, "read", context.look));
	}
	if (!need.content) return;
	if (configured.settings.findLast(({ key }) => key === "diff.submodule")?.value === "diff") {
		addConcern(findings, t("The command also prints the contents of submodules (diff.submodule)."), false);
	}
	const shown = await shownFiles(
		{ ...context, folder, repository },
		configured.settings.some(followsRenames) ? withoutLimits(need.content) : need.content,
	);
	if (shown.protected) findings.paths.push(shown.protected);
	if (shown.unknown !== undefined) addConcern(findings, shown.unknown, false);
}

/** If git follows a file through renames, omitted files are not counted. */
function followsRenames({ key, value }: GitSetting): boolean {
	return key === "log.follow" && value !== "false";
}

function withoutLimits(content: GitContent): GitContent {
	return { ...content, flags: content.flags && withoutCountLimits(content.flags) };
}

function addConcern(findings: Findings, always: string, lasts: boolean): void {
	findings.always ??= always;
	findings.lasts &&= lasts;
}

/** `where` is the submodule's path, or "" for the repository itself. */
function judgeSettings(
	{ gateContext }: Pick<GitContext, "gateContext">,
	{ odd, settings, repository }: GitConfiguration,
	{ use }: GitChecks,
	findings: Findings,
	where: string,
): void {
	if (odd !== undefined) addConcern(findings, odd, false);
	if (repository?.alternates !== undefined) {
		findings.parts.push(JSON.stringify(["alternates", boundPath(gateContext, repository.top), repository.alternates]));
		addConcern(findings, t("{0} uses objects from another repository (objects/info/alternates).", repository.top), true);
	}
	for (const { key, value, own } of settings) {
		if (!own) continue;
		const risk = settingRiskOf(key, value, use);
		if (risk === "none") continue;
		findings.parts.push(JSON.stringify(["setting", repository && boundPath(gateContext, repository.top), key, value]));
		const setting = where === "" ? key : `${key} (${where})`;
		if (risk === "unknown")
			addConcern(findings, t("This repository's configuration sets {0}, which isn't known to be safe.", setting), true);
		else findings.unlessHardened ??= t("This repository's configuration sets {0}, which isn't known to be safe.", setting);
	}
}

/** Every existing submodule, recursively. */
async function gatherBelow(
	{ gateContext, look }: GitContext,
	need: GitChecks,
	{ repository }: GitConfiguration,
	findings: Findings,
): Promise<void> {
	if (!repository) return;
	const open = [repository as NonNullable<typeof repository>];
	for (let count = 0, next = open.shift(); next; next = open.shift()) {
		const folders = await submodulesOf(gateContext, look, next);
		if (!folders) addConcern(findings, t("git couldn't inspect {0}.", next.top), false);
		for (const folder of folders ?? []) {
			if (++count > MAX_REPOSITORIES) {
				addConcern(findings, t("There are too many submodules to check."), false);
				return;
			}
			const below = await readGitConfiguration(gateContext, look, toForwardSlashes((await gateContext.disk.realpath(folder)) ?? folder));
			judgeSettings({ gateContext }, below, need, findings, toForwardSlashes(nativePath.relative(repository.top, folder)));
			if (!below.repository) continue;
			open.push(below.repository);
			if (need.use !== "network") continue;
			if (need.hooks) await gatherHooks({ gateContext }, below, need.hooks, findings);
			for (const { key, value } of below.settings)
				if (/^(?:remote|url)\./.test(key)) findings.parts.push(JSON.stringify([boundPath(gateContext, below.repository.top), key, value]));
		}
	}
}

async function gatherHooks(
	{ gateContext }: Pick<GitContext, "gateContext">,
	{ repository, settings }: GitConfiguration,
	names: readonly string[],
	findings: Findings,
): Promise<void> {
	if (!repository) return;
	for (const { name, print } of await hooksOf(gateContext, repository, settings, names)) {
		findings.hooks.add(name);
		if (print === undefined) addConcern(findings, t("The hook {0} can't be read.", name), false);
		else findings.parts.push(`hook ${name} ${print}`);
	}
}

/** A reading command may write the index and so run this hook; hardened git never does. */
async function hooksUnlessHardened(
	{ gateContext }: GitContext,
	{ repository, settings }: GitConfiguration,
	findings: Findings,
): Promise<void> {
	if (!repository) return;
	const [hook] = await hooksOf(gateContext, repository, settings, ["post-index-change"]);
	if (!hook) return;
	findings.unlessHardened ??= t("The hook {0} would run.", hook.name);
	findings.parts.push(`hook ${hook.name} ${hook.print ?? ""}`);
}

async function gatherAddresses(
	{ gateContext, paths, look }: GitContext,
	configured: GitConfiguration,
	remote: string,
	folder: string,
	findings: Findings,
): Promise<void> {
	const found = await remoteAddressesOf(gateContext, configured, remote, folder);
	if (!found) {
		addConcern(findings, t("git didn't report where it would connect."), false);
		return;
	}
	findings.parts.push(...found.parts);
	for (const { address, path, problem } of found.addresses) {
		findings.addresses.add(address);
		if (problem !== undefined) addConcern(findings, problem, false);
		if (path !== undefined) findings.paths.push(await paths.word(path, configured.repository?.top ?? folder, "read", look));
	}
}

async function checkCredentials({ gateContext }: GitContext, words: readonly string[], folder: string, findings: Findings): Promise<void> {
	const result = await gateContext.host?.git(folder, words);
	const found = result && containsCredentials(new TextDecoder().decode(result.output));
	if (!result) addConcern(findings, t("git couldn't inspect {0}.", folder), false);
	else if (found) addConcern(findings, t("The command prints an address with credentials."), false);
}

/** Returns the path as approvals name it. A hook of the original that runs in a copy of the workspace is the same program. */
function boundPath(gateContext: GateContext, path: string): string {
	return originalPath(gateContext, path) ?? path;
}

interface GitHook {
	name: string;
	/** Changes with the file; absent if it could not be read. */
	print?: string;
}

const LONGEST_HOOK = 512 * 1024;

async function hooksOf(
	gateContext: GateContext,
	{ top, commonDir }: GitRepository,
	settings: readonly GitSetting[],
	names: readonly string[],
): Promise<GitHook[]> {
	const folder = hooksFolder(top, commonDir, settings);
	const found = await Promise.all(names.map((name) => hookIn(gateContext, folder, name)));
	return found.filter((hook) => hook !== undefined);
}

/** The last setting applies; a relative path starts at the top of the work tree. */
function hooksFolder(top: string, commonDir: string, settings: readonly GitSetting[]): string {
	const named = settings.findLast(({ key }) => key === "core.hookspath")?.value;
	if (named === undefined || named === "") return nativePath.join(commonDir, "hooks");
	return nativePath.resolve(top, named.replace(/^~(?=\/|$)/, homedir()));
}

async function hookIn(gateContext: GateContext, folder: string, name: string): Promise<GitHook | undefined> {
	const { disk } = gateContext;
	const path = nativePath.join(folder, name);
	const print = await printOf(disk, path);
	if (print === "missing") return undefined;
	// The files in husky's `_` folder run the file of the same name in its parent.
	const siblingPrint =
		nativePath.basename(folder) === "_" ? await printOf(disk, nativePath.join(nativePath.dirname(folder), name)) : "missing";
	return {
		name,
		...(print !== undefined &&
			siblingPrint !== undefined && { print: `${boundPath(gateContext, toForwardSlashes(path))} ${print} ${siblingPrint}` }),
	};
}

async function printOf(disk: Disk, path: string): Promise<string | undefined> {
	const real = await disk.realpath(path).catch(() => undefined);
	if (real === undefined) return "missing";
	const stat = await disk.lstat(real).catch(() => undefined);
	if (stat?.type !== "file" || stat.size > LONGEST_HOOK) return undefined;
	const bytes = await disk.peek(real, LONGEST_HOOK + 1);
	return bytes && sha256(bytes);
}

interface RemoteAddresses {
	addresses: readonly Address[];
	/** State that an approval is bound to. */
	parts: readonly string[];
}

interface Address {
	address: string;
	/** Set if the address is a folder. */
	path?: string;
	/** Reason why it requires approval regardless of earlier approvals. */
	problem?: string;
}

/** `remote` is a name or an address, "" for the default remote, `--all` for every remote. Makes no connection. */
async function remoteAddressesOf(
	{ host }: GateContext,
	{ settings }: GitConfiguration,
	remote: string,
	folder: string,
): Promise<RemoteAddresses | undefined> {
	const named = settings.filter(({ key }) => /^remote\..+\.url$/.test(key)).map(({ value }) => value);
	const parts = settings.filter(({ key }) => /^(?:remote|url)\./.test(key)).map(({ key, value }) => JSON.stringify([key, value]));
	if (remote === "--all") return { addresses: named.map(checkAddress), parts };
	const result = await host?.git(folder, ["ls-remote", "--get-url", ...(remote === "" ? [] : [remote])]);
	if (!result) return undefined;
	// Without any remote, it makes no connection.
	const noRemote = remote === "" && !settings.some(({ key }) => /^(?:remote|remotes|branch)\..*(?:url|remote|default)$/.test(key));
	if (result.code !== 0) return noRemote ? { addresses: [], parts: [...parts, "goes nowhere"] } : undefined;
	const address = new TextDecoder().decode(result.output).replace(/\n$/, "");
	return { addresses: [checkAddress(address)], parts: [...parts, `goes to ${address}`] };
}

function checkAddress(address: string): Address {
	if (hasHidden(address, "joiners", "selectors")) return { address, problem: t("The address contains control or invisible characters.") };
	if (!plainRemoteAddress.test(address)) return { address, problem: t("The address {0} runs a program.", address) };
	const shown = address.replace(credentials, "$1");
	if (shown !== address && containsCredentials(address)) return { address: shown, problem: t("The address contains credentials.") };
	if (/^file:\/\//i.test(address)) return { address, path: address.slice("file://".length) };
	return isFolder(address) ? { address, path: address } : { address };
}

/** Follows git: an address with a colon before any slash uses ssh. */
function isFolder(address: string): boolean {
	if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return false;
	const [colon, slash] = [address.indexOf(":"), address.indexOf("/")];
	return colon < 0 || (slash >= 0 && slash < colon) || (process.platform === "win32" && /^[a-z]:/i.test(address));
}

const credentials = /\b([a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi;

/** The user name in an ssh address is not secret; in any other address it may be a token. */
function containsCredentials(text: string): boolean {
	return [...text.matchAll(/\b([a-z][a-z0-9+.-]*):\/\/([^/\s@]+)@/gi)].some(
		([, scheme = "", person = ""]) => person.includes(":") || !/^(?:ssh|git\+ssh|ssh\+git)$/i.test(scheme),
	);
}
