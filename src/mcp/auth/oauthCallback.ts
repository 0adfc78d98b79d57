// Local server that accepts one browser callback for the pending OAuth sign-in.
import { timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { sha256Bytes } from "../../shared/node/hash.ts";
import { cleanLine } from "../wire/sanitize.ts";

export interface OAuthCallbackServer {
	port: number;
	/**
	 * Resolves to the callback's parameters: `code`, and `iss` if present. `redirect` is the URL the browser was sent to. Rejects
	 * with a sentence.
	 */
	waitForCallback(state: string, redirect: URL, signal: AbortSignal): Promise<URLSearchParams>;
	close(): void;
}

/** Uses that port if it is free, otherwise any. */
export async function listenForCallback(wanted: number | undefined): Promise<OAuthCallbackServer> {
	const server = createServer();
	await listen(server, wanted ?? 0).catch(() => listen(server, 0));
	const { port } = server.address() as AddressInfo;
	return {
		port,
		waitForCallback: (state, redirect, signal) =>
			new Promise((resolve, reject) => {
				const stop = (): void => reject(signal.reason);
				if (signal.aborted) return stop();
				signal.addEventListener("abort", stop, { once: true });
				// A proxy that forwards to this computer may send its own host name or ours.
				const [paths, hosts] = [
					[CALLBACK_PATH, redirect.pathname],
					[`127.0.0.1:${port}`, `localhost:${port}`, redirect.host],
				];
				let answered = false;
				server.on("request", (request, response) => {
					const url = URL.canParse(request.url ?? "", "http://127.0.0.1") ? new URL(request.url ?? "", "http://127.0.0.1") : undefined;
					const fits = url && paths.includes(url.pathname) && hosts.includes(request.headers.host ?? "");
					const meant = request.method === "GET" && fits;
					const right = meant && !answered && same(url.searchParams.get("state") ?? "", state);
					response.writeHead(right ? 200 : meant ? 400 : 404, HEADERS).end(right ? page(t("You can close this page.")) : "");
					if (!right) return;
					answered = true;
					signal.removeEventListener("abort", stop);
					const error = url.searchParams.get("error");
					if (error === null && url.searchParams.get("code")) return resolve(url.searchParams);
					const why = cleanLine(url.searchParams.get("error_description") ?? error ?? "", 200);
					reject(new UserError(t("Sign-in was denied: {0}", why)));
				});
			}),
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

export const CALLBACK_PATH = "/callback";

const HEADERS = {
	"content-type": "text/html; charset=utf-8",
	"content-security-policy": "default-src 'none'",
	"referrer-policy": "no-referrer",
	"cache-control": "no-store",
	connection: "close",
};

function listen(server: Server, port: number): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, "127.0.0.1", () => {
			server.off("error", reject);
			resolve();
		});
	});
}

function same(left: string, right: string): boolean {
	return timingSafeEqual(sha256Bytes(left), sha256Bytes(right));
}

function page(text: string): string {
	return `<!doctype html><meta charset="utf-8"><title>Troupe</title><p>${text.replace(/[<&]/g, "")}</p>`;
}
