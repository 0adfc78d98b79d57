// Tests the input of a generated commit message, and its extraction from the model's answer.

import assert from "node:assert/strict";
import type { SelectedModel } from "../../../src/core/ports/model.ts";
import { createCommitRequest, truncateDiff, writeCommitMessage } from "../../../src/integrations/commitMessage.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";

function part(path: string, added: string): string {
	return `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-old\n+${added}\n`;
}

function answering(text: string): SelectedModel {
	const provider = scriptedModel([{ text }]);
	return { id: "scripted/one", name: "Scripted", why: "", provider, model: "one", info: { id: "scripted/one", name: "Scripted" } };
}

const facts = { diff: part("src/cart.ts", "new"), commits: [], draft: "" };

describe("the diff a commit message is written from", () => {
	it("shows what has changed", () => {
		assert.match(truncateDiff(part("src/cart.ts", "total")), /\+total/);
	});

	for (const path of [".env", "config/.env.local", "keys/server.pem", ".ENV", "deploy/id_rsa"]) {
		it(`names ${path} and shows nothing of it`, () => {
			const shown = truncateDiff(part("a.ts", "fine") + part(path, "S3CRET") + part("b.ts", "fine"));
			assert.doesNotMatch(shown, /S3CRET/);
			assert.ok(shown.includes(`${path}: changed`));
			assert.match(shown, /b\.ts/);
		});
	}

	it("shows nothing of a secret file that was deleted, renamed or has a name that git quotes", () => {
		const deleted = "diff --git a/.env b/.env\ndeleted file mode 100644\n--- a/.env\n+++ /dev/null\n@@ -1 +0,0 @@\n-S3CRET\n";
		const renamed =
			"diff --git a/.env b/old.txt\nsimilarity index 90%\nrename from .env\nrename to old.txt\n--- a/.env\n+++ b/old.txt\n@@ -1 +1 @@\n-S3CRET\n+x\n";
		const quoted =
			'diff --git "a/k\\303\\244se/.env" "b/k\\303\\244se/.env"\n--- "a/k\\303\\244se/.env"\n+++ "b/k\\303\\244se/.env"\n@@ -1 +1 @@\n+S3CRET\n';
		for (const diff of [deleted, renamed, quoted]) assert.doesNotMatch(truncateDiff(diff), /S3CRET/);
	});

	it("shows nothing of a secret file that is in conflict, behind one that is not", () => {
		const plain = "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-one\n+two\n";
		for (const how of ["cc", "combined"]) {
			const conflict = `diff --${how} .env\nindex 1,2..0\n--- a/.env\n+++ b/.env\n@@@ -1,1 -1,1 +1,5 @@@\n++KEY=canary\n`;
			const shown = truncateDiff(plain + conflict);
			assert.doesNotMatch(shown, /canary/);
			assert.match(shown, /\+two/);
			assert.match(shown, /\.env: changed/);
		}
	});

	it("leaves out what is generated, cuts long files and says how much", () => {
		assert.doesNotMatch(truncateDiff(part("package-lock.json", "integrity")), /integrity/);
		const shown = truncateDiff(part("long.ts", "x".repeat(20_000)));
		assert.ok(shown.length < 7_000);
		assert.match(shown, /long\.ts: \d+ more characters are left out/);
	});

	it("stays within its limit, however many files there are", () => {
		const many = Array.from({ length: 200 }, (_, index) => part(`src/file${index}.ts`, "y".repeat(5_000))).join("");
		assert.ok(truncateDiff(many).length < 70_000);
	});

	it("is not cut by a line of the file that looks like git's", () => {
		assert.match(truncateDiff(part("a.ts", "before\n+diff --git a/.env b/.env\n+after")), /\+after/);
	});
});

describe("a commit message", () => {
	it("is asked for without tools, with the style of the last commits and what the person began", () => {
		const request = createCommitRequest("one", { ...facts, commits: ["feat(cart): totals\n\nlong", "fix: rounding"], draft: "fix: " });
		assert.deepEqual(request.tools, []);
		const [event] = request.events;
		assert.ok(event?.type === "user");
		assert.match(event.text, /- feat\(cart\): totals\n- fix: rounding/);
		assert.match(event.text, /began with: fix:/);
		assert.doesNotMatch(event.text, /long/);
	});

	for (const [what, answer, expected] of [
		["is what the model says", "fix: round half up", "fix: round half up"],
		["loses a fence", "```text\nfix: round\n\nIt was wrong.\n```", "fix: round\n\nIt was wrong."],
		["loses quotes", '"fix: round"', "fix: round"],
		["loses its announcement", "Commit message: fix: round", "fix: round"],
		["is nothing where the model says nothing", "  ", undefined],
	] as const) {
		it(what, async () => {
			assert.equal(await writeCommitMessage(answering(answer), facts, AbortSignal.timeout(5_000)), expected);
		});
	}

	it("stops with the signal", async () => {
		await assert.rejects(writeCommitMessage(answering("late"), facts, AbortSignal.abort()), { name: "AbortError" });
	});
});
