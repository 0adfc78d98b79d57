// The web as it is reached from here: through the editor's proxy where only that knows a name.
import { createProxiedNames } from "../tools/webProxy.ts";
import { publicReach } from "../tools/webRequest.ts";
import { editorsProxy } from "../vscode/proxy.ts";

export const proxied = createProxiedNames({ proxyOf: editorsProxy, resolve: publicReach.resolve });
