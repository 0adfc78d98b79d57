// Tests images from tools: stored as blobs, shown to model and page, removed with trimmed output.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { visibleEvents } from "../../../src/core/transcript/fold.ts";
import { MessageImages } from "../../../src/session/transcript/images.ts";
import { PNG } from "../../fakes/pictures.ts";
import { closeTestSessions, FILES, openTestSession } from "./testSession.ts";

describe("a picture that a tool reads", () => {
	afterEach(closeTestSessions);

	async function looked() {
		const setup = await openTestSession([{ calls: [{ name: "read_file", input: { path: "logo.png" } }] }, { text: "Seen." }], {
			files: FILES,
		});
		writeFileSync(join(setup.app.folder, "logo.png"), PNG);
		await setup.session.send("Look");
		const result = await setup.event("result");
		return { setup, result };
	}

	it("is kept by its bytes, and the model is handed them", async () => {
		const { setup, result } = await looked();
		assert.deepEqual(result.images, [{ blob: result.images?.[0]?.blob, size: PNG.length, mime: "image/png" }]);
		const [ref] = result.images ?? [];
		assert.ok(ref);
		const request = setup.model.requests[1];
		assert.ok(request?.events.some((event) => event.type === "result" && event.images?.[0]?.blob === ref.blob));
		assert.deepEqual(Buffer.from((await request?.image?.(ref)) ?? []), PNG);
	});

	it("may be seen by the page of its session, and by no other", async () => {
		const { setup, result } = await looked();
		const blob = result.images?.[0]?.blob ?? "";
		const page = new MessageImages(setup.app.services.blobs);
		const shown = await page.show(blob, setup.session);
		assert.deepEqual([shown?.mime, shown && Buffer.from(shown.bytes)], ["image/png", PNG]);
		const other = await setup.app.sessions.create({ role: "planner" });
		assert.equal(await page.show(blob, await setup.app.sessions.get(other.sessionId)), undefined);
	});

	it("goes with the output that makes room, and counts as long as it is there", async () => {
		const { setup, result } = await looked();
		const { state, context } = setup.session;
		const frame = { system: 0, tools: 0 };
		const images = () => context.ledger.measure(state, frame).parts.images;
		assert.ok(images() > 0);
		assert.ok(context.ledger.freeing(result, state.calls) > 1_000);
		await setup.session.eventLog.emit({ type: "status", level: "info", text: "Room.", trimmed: result.id }, "host");
		assert.equal(images(), 0);
		const shown = visibleEvents(state).find((event) => event.type === "result");
		assert.ok(shown?.type === "result" && shown.images === undefined);
		assert.match(shown.output, /^\[Output of read_file logo\.png/);
	});
});
