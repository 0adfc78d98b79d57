// Finds out where a command that goes over the network would go, and whether an address holds credentials.
import type { GateContext } from "../../core/ports/gate.ts";
import { t } from "../../shared/l10n.ts";
import type { GitConfiguration } from "./configuration.ts";
import { plainRemoteAddress } from "./harmlessKeys.ts";

export interface RemoteAddresses {
	addresses: readonly Address[];
	/** What an approval is bound to. */
	parts: readonly string[];
}

interface Address {
	address: string;
	/** It is a folder. */
	path?: string;
	/** Why it asks whatever was approved. */
	problem?: string;
}

/** `remote` is a name or an address, empty for the default one, `--all` for every one. Nothing is connected to. */
export async function remoteAddressesOf(
	{ host }: GateContext,
	{ settings }: GitConfiguration,
	remote: string,
	folder: string,
): Promise<RemoteAddresses | undefined> {
	const named = settings.filter(({ key }) => /^remote\..+\.url$/.test(key)).map(({ value }) => value);
	const parts = settings.filter(({ key }) => /^(?:remote|url)\./.test(key)).map(({ key, value }) => JSON.stringify([key, value]));
	if (remote === "--all") return { addresses: named.map(judged), parts };
	const said = await host?.git(folder, ["ls-remote", "--get-url", ...(remote === "" ? [] : [remote])]);
	if (!said) return undefined;
	// Without any remote it goes nowhere.
	const nowhere = remote === "" && !settings.some(({ key }) => /^(?:remote|remotes|branch)\..*(?:url|remote|default)$/.test(key));
	if (said.code !== 0) return nowhere ? { addresses: [], parts: [...parts, "goes nowhere"] } : undefined;
	const address = new TextDecoder().decode(said.output).replace(/\n$/, "");
	return { addresses: [judged(address)], parts: [...parts, `goes to ${address}`] };
}

function judged(address: string): Address {
	if (!plainRemoteAddress.test(address)) return { address, problem: t("{0} is an address that runs a program", address) };
	const shown = address.replace(credentials, "$1");
	if (shown !== address && containsCredentials(address)) return { address: shown, problem: t("it goes to an address with credentials") };
	if (/^file:\/\//i.test(address)) return { address, path: address.slice("file://".length) };
	return isFolder(address) ? { address, path: address } : { address };
}

/** As git tells them apart: what has a colon before any slash goes over ssh. */
function isFolder(address: string): boolean {
	if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return false;
	const [colon, slash] = [address.indexOf(":"), address.indexOf("/")];
	return colon < 0 || (slash >= 0 && slash < colon) || (process.platform === "win32" && /^[a-z]:/i.test(address));
}

const credentials = /\b([a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi;

/** Whoever is named in an ssh address is no secret; in any other it may be a token. */
export function containsCredentials(text: string): boolean {
	return [...text.matchAll(/\b([a-z][a-z0-9+.-]*):\/\/([^/\s@]+)@/gi)].some(
		([, scheme = "", person = ""]) => person.includes(":") || !/^(?:ssh|git\+ssh|ssh\+git)$/i.test(scheme),
	);
}
