// Resolves the proxy for a URL from the editor's setting or the standard environment variables.

export interface ProxySettings {
	/** `http.proxy`; "" to use the environment variables. */
	proxy: string;
	/** `http.noProxy`: hosts that are reached without the proxy. */
	noProxy: readonly string[];
	variable(name: string): string | undefined;
}

/** An http or https URL, possibly with a user name and password; undefined if there is no proxy. */
export function resolveProxyUrl({ proxy, noProxy, variable }: ProxySettings, url: URL): string | undefined {
	const either = (name: string): string => variable(name.toLowerCase()) ?? variable(name) ?? "";
	const named = proxy || either(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") || either("ALL_PROXY");
	if (!/^https?:\/\//i.test(named) || !URL.canParse(named)) return undefined;
	const spared = [...noProxy, ...either("NO_PROXY").split(/[\s,]+/)];
	return spared.some((entry) => spares(entry, url)) ? undefined : named;
}

/** "*", "example.com", ".example.com", "*.example.com", each with or without a port. */
function spares(entry: string, url: URL): boolean {
	const [, name = "", port] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
	if (entry.trim() === "*") return true;
	if (name === "" || (port !== undefined && port !== (url.port || (url.protocol === "https:" ? "443" : "80")))) return false;
	const host = url.hostname.toLowerCase();
	return host === name || host.endsWith(`.${name}`);
}
