// Signing in where the person's browser is on another computer than we are: through a port that is forwarded.
import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { oauthServer } from "../../fakes/mcpOAuth.ts";
import { openTestMcp } from "../../fakes/testMcp.ts";

describe("Signing in from another computer", () => {
	it("leads the browser to where it reaches this computer from, and registers anew where that has changed", async () => {
		const server = await oauthServer();
		const forwards: Server[] = [];
		const ports: string[] = [];
		const reachedAt = async (url: string): Promise<string> => {
			const forward = createServer((socket) => {
				const there = connect(Number(new URL(url).port), "127.0.0.1");
				for (const [from, to] of [
					[socket, there],
					[there, socket],
				] as const)
					from.on("error", () => to.destroy()).pipe(to);
			});
			forwards.push(forward);
			await new Promise<void>((resolve) => forward.listen(0, "127.0.0.1", resolve));
			ports.push(String((forward.address() as AddressInfo).port));
			return `http://127.0.0.1:${ports.at(-1)}/callback`;
		};
		const setup = openTestMcp({
			servers: [{ id: "far", name: "Far", source: "settings", url: server.url }],
			openUrl: (url) => {
				void server.browse(url);
				return true;
			},
			reachedAt,
		});
		try {
			assert.deepEqual((await setup.tools(["far"])).said, []);
			const redirect = () => new URL(new URL(setup.opened.at(-1) as string).searchParams.get("redirect_uri") as string).port;
			assert.equal(redirect(), ports[0]);
			server.forget();
			assert.deepEqual((await setup.tools(["far"], "two")).said, []);
			assert.equal(redirect(), ports[1]);
		} finally {
			await setup.room.dispose();
			await server.close();
			for (const forward of forwards) forward.close();
		}
	});
});
