// Pictures: their kind and size from their bytes, what a tool's may be, and how many a request carries.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { EventBody } from "../../../src/core/events.ts";
import { checkImage, detectImageType, readImageSize, selectRequestImages, TOOL_IMAGE_LIMITS } from "../../../src/core/images.ts";
import { GIF, JPEG, PNG, WEBP } from "../../fakes/pictures.ts";
import { transcript } from "../models/helpers.ts";

describe("a picture", () => {
	it("is told by its bytes, with its size", () => {
		assert.deepEqual([PNG, JPEG, GIF, WEBP].map(detectImageType), ["image/png", "image/jpeg", "image/gif", "image/webp"]);
		for (const bytes of [PNG, JPEG, GIF, WEBP]) assert.deepEqual(readImageSize(bytes), { width: 3, height: 2 });
		const icon = readFileSync("media/icon.png");
		assert.equal(readImageSize(icon)?.width, readImageSize(icon)?.height);
	});

	it("is refused where a model could not be shown it, and the reason says why", () => {
		const refused = (bytes: Uint8Array) => {
			const looked = checkImage(bytes);
			return "refused" in looked ? looked.refused : "";
		};
		assert.deepEqual(checkImage(PNG), { about: `image/png, 3 × 2, ${PNG.length} bytes` });
		assert.match(refused(Buffer.from("GIF89a is how these begin.")), /cut or damaged/);
		assert.match(refused(Buffer.from("no picture")), /not a PNG/);
		for (const bytes of [PNG, JPEG, GIF, WEBP]) {
			assert.equal(refused(bytes), "");
			for (let end = 0; end < bytes.length - 6; end += 1) assert.notEqual(refused(bytes.subarray(0, end)), "", `cut at ${end}`);
		}
		const wide = Buffer.from(PNG);
		wide.writeUInt32BE(TOOL_IMAGE_LIMITS.side + 1, 16);
		assert.match(refused(wide), /over 8000 pixels/);
		const long = Buffer.concat([PNG.subarray(0, -12), Buffer.alloc(TOOL_IMAGE_LIMITS.bytes), PNG.subarray(-12)]);
		assert.match(refused(long), /over 2000000 bytes/);
	});

	it("is carried by requests until they are too many, and what is left out falls in steps", () => {
		const image = (blob: string, size: number) => ({ blob, size, mime: "image/png" });
		const result = (call: number): EventBody => ({
			type: "result",
			call: `${call}`,
			status: "ok",
			output: "",
			images: [image(`${call}`, 3)],
		});
		const first = [0];
		for (let count = 1; count <= 20; count += 1) {
			const events = transcript(
				{ type: "user", text: "", images: [image("u", 1)] },
				...Array.from({ length: count }, (_, at) => result(at)),
			);
			const images = events.flatMap((event) => ("images" in event ? (event.images ?? []) : []));
			const carried = selectRequestImages(events, 10);
			const at = images.findIndex((each) => carried.has(each.blob));
			assert.deepEqual(
				images.slice(at).map((each) => carried.has(each.blob)),
				images.slice(at).map(() => true),
				"the newest, without gaps",
			);
			assert.ok(images.slice(at).reduce((sum, { size }) => sum + size, 0) <= 10);
			if (at !== first.at(-1)) first.push(at);
		}
		assert.ok(first.length < 12 && first.length > 3, first.join(" "));
	});
});
