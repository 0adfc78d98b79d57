// The web as it is reached from here: through the editor's proxy where only that knows a name.
import {
	createProxyOnlyHosts,
	findProxyRoute,
	type ProxyRoute,
	type ProxyRouteOptions,
	publicWebAccess,
} from "../../tools/web/webRequest.ts";
import { proxyForUrl } from "../../vscode/adapters/settings.ts";

const parts: ProxyRouteOptions = { proxyOf: proxyForUrl, resolve: publicWebAccess.resolve };

export const proxiedNames = createProxyOnlyHosts(parts);

export function proxyRouteFor(url: URL): Promise<ProxyRoute | undefined> {
	return findProxyRoute(url, parts);
}
