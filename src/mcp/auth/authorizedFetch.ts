// Makes HTTP requests to an MCP server; its headers and token are sent only to its own origin.

import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { limitBody } from "../wire/limitBody.ts";
import type { SignIn } from "./signIn.ts";

/** Signs in after a refusal and retries once. */
export function createAuthorizedFetch(server: URL, headers: Readonly<Record<string, string>>, signIn: SignIn, closing: AbortSignal) {
	// With an authorization header from the user, no sign-in is offered.
	const own = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");

	return async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
		const target = new URL(address);
		if (target.origin !== server.origin) throw new UserError(t("The server points to {0}, which isn't allowed.", target.origin));
		let met: number | undefined;
		for (;;) {
			const header = own ? undefined : await signIn.getAuthorizationHeader();
			const sent = new Headers(init.headers);
			for (const [name, value] of Object.entries(headers)) sent.set(name, value);
			if (header !== undefined) sent.set("authorization", header);
			const response = limitBody(await fetch(target, { ...init, headers: sent, redirect: "manual" }));
			const lacks = response.status === 403 && /insufficient_scope/.test(response.headers.get("www-authenticate") ?? "");
			if (own || met === response.status || !(response.status === 401 || lacks)) return response;
			met = response.status;
			await response.body?.cancel();
			if (!(await signIn.handleRefusal(response, header, closing))) return response;
		}
	};
}
