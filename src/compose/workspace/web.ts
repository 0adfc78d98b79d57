// The web as it is reached from here: through the editor's proxy where only that knows a name.
import { createProxiedNames, type ProxyParts, type ProxyWay, proxyWay } from "../../tools/web/webProxy.ts";
import { publicReach } from "../../tools/web/webRequest.ts";
import { proxyForUrl } from "../../vscode/adapters/proxy.ts";

const parts: ProxyParts = { proxyOf: proxyForUrl, resolve: publicReach.resolve };

export const proxiedNames = createProxiedNames(parts);

export function proxyRouteFor(url: URL): Promise<ProxyWay | undefined> {
	return proxyWay(url, parts);
}
