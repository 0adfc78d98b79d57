// The offline model in the whole app: real conversation, gate, tools, search and commands on a copy of the sample.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createOfflineProvider } from "../../../src/models/offline/offline.ts";
import { openTestApp } from "../../fakes/testApp.ts";

const SAMPLE = join("samples", "shop");

function textOf(folder: string): string {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => /\.(?:ts|md)$/.test(name))
		.map((name) => readFileSync(join(folder, name), "utf8"))
		.join("\n");
}

describe("the offline model in the whole app", () => {
	// The sample builds itself with esbuild, which a copy of it finds where this repository has it.
	const path = process.env["PATH"];
	before(() => {
		process.env["PATH"] = [resolve("node_modules", ".bin"), path].join(delimiter);
	});
	after(() => {
		process.env["PATH"] = path;
	});

	it("plans and carries out a rename, asks for the test command, and tells how the tests went", async () => {
		const home = mkdtempSync(join(tmpdir(), "offline-app-"));
		mkdirSync(join(home, "workspace"));
		cpSync(SAMPLE, join(home, "workspace"), { recursive: true });
		let ahead = 0;
		const app = await openTestApp({ model: createOfflineProvider(), home, now: () => new Date(Date.now() + ahead) });
		try {
			const { sessionId } = await app.sessions.create({ role: "planner" });
			const session = await app.sessions.get(sessionId);
			const { outcome } = await session.send("Rename formatPrice to formatMoney everywhere");
			assert.equal(outcome, "waiting", JSON.stringify(session.state.events.at(-1)));
			const plan = session.state.plans.at(-1)?.event.plan;
			assert.match(plan?.steps.at(-1)?.action ?? "", /^Run the tests with `npm test`$/);
			assert.match(textOf(app.folder), /\bformatPrice\b/);

			const asked: string[] = [];
			app.sessions.listen({
				event(_, event) {
					if (event.type !== "asked") return;
					asked.push(event.summary);
					ahead += 1_000;
					session.answer(event.request, { allow: true }, "person", event.hash).catch((error: unknown) => asked.push(String(error)));
				},
			});
			const end = await session.executePlan({});
			assert.equal(end.outcome, "done");
			assert.deepEqual(asked, ["Run npm test"]);
			assert.doesNotMatch(textOf(app.folder), /\bformatPrice\b/);
			assert.deepEqual(
				[...session.state.calls.values()]
					.filter(({ result }) => result?.status !== "ok")
					.map(({ call, result }) => [call.name, result?.output]),
				[],
			);
			const run = session.state.plans.at(-1);
			assert.equal(run?.state, "closed");
			assert.deepEqual(run?.deviations, []);
			assert.deepEqual(new Set(run?.steps.values()), new Set(["done"]));
			const summary = session.state.events.findLast((event) => event.type === "assistant");
			assert.match(
				summary?.type === "assistant" ? summary.text : "",
				/\*\*Done\.\*\* Renamed `formatPrice` to `formatMoney` at \d+ places in \d+ files\.\n\nThe tests \(`npm test`\) passed: /,
			);
		} finally {
			await app.close();
			rmSync(home, { recursive: true, force: true });
		}
	});

	it("says in a reply of the main agent what it takes to talk with it, to each message once", async () => {
		const app = await openTestApp({ model: createOfflineProvider() });
		try {
			const session = await app.sessions.get((await app.sessions.latest("main")).sessionId);
			for (const text of ["Hello", "Rename formatPrice to formatMoney"]) assert.equal((await session.send(text)).outcome, "done");
			const replies = session.state.events.filter((event) => event.type === "reply");
			assert.equal(replies.length, 2);
			for (const { text } of replies) assert.match(text, /takes a language model\. Select one/);
		} finally {
			await app.close();
		}
	});
});
