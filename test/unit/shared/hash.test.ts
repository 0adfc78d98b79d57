// Digests that approvals and stored files are bound to.
import assert from "node:assert/strict";
import { contentHash, sha256, sha256Bytes } from "../../../src/shared/node/hash.ts";

describe("SHA-256", () => {
	const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

	it("gives the published digest of text and of its bytes", () => {
		assert.deepEqual([sha256("abc"), sha256(new TextEncoder().encode("abc")), sha256Bytes("abc").toString("hex")], [ABC, ABC, ABC]);
		assert.equal(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	});

	it("of content is the same whatever the order of its fields, at every depth, and another for other content", () => {
		const hash = contentHash({ b: [{ d: 1, c: 2 }], a: "x" });
		assert.equal(contentHash({ a: "x", b: [{ c: 2, d: 1 }] }), hash);
		assert.equal(hash, sha256('{"a":"x","b":[{"c":2,"d":1}]}'));
		for (const other of [{ a: "x", b: [{ c: 1, d: 2 }] }, { a: "x" }, { a: "x", b: { 0: { c: 2, d: 1 } } }])
			assert.notEqual(contentHash(other), hash);
	});
});
