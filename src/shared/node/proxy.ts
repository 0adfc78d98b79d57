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
	const environmentVariable = (name: string): string => variable(name.toLowerCase()) ?? variable(name) ?? "";
	const proxyUrl =
		proxy || environmentVariable(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") || environmentVariable("ALL_PROXY");
	if (!/^https?:\/\//i.test(proxyUrl) || !URL.canParse(proxyUrl)) return undefined;
	const bypassEntries = [...noProxy, ...environmentVariable("NO_PROXY").split(/[\s,]+/)];
	return bypassEntries.some((entry) => bypasses(entry, url)) ? undefined : proxyUrl;
}

/** "*", "example.com", ".example.com", "*.example.com", each with or without a port. */
function bypasses(entry: string, url: URL): boolean {
	const [, name = "", port] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
	if (entry.trim() === "*") return true;
	if (name === "" || (port !== undefined && port !== (url.port || (url.protocol === "https:" ? "443" : "80")))) return false;
	const host = url.hostname.toLowerCase();
	return host === name || host.endsWith(`.${name}`);
}
