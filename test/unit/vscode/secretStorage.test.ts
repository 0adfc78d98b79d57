// Tests that failures of VS Code's secret storage keep their reason.
import assert from "node:assert/strict";
import { reasonOf } from "../../../src/shared/reasonOf.ts";
import { createSecretStorage } from "../../../src/vscode/adapters/secretStorage.ts";

describe("VS Code's secret storage", () => {
	const failing = (error: Error) => {
		const fail = () => Promise.reject(error);
		return createSecretStorage({ get: fail, store: fail, delete: fail });
	};

	it("fails with the words of VS Code or the keyring, and a bug stays a bug", async () => {
		const locked = failing(new Error("The keyring is locked."));
		for (const work of [async () => locked.get("key"), async () => locked.store("key", "value"), async () => locked.delete("key")]) {
			await assert.rejects(work(), (error: unknown) => reasonOf(error, undefined) === "The keyring is locked.");
		}
		await assert.rejects(
			async () => failing(new TypeError("x is undefined")).get("key"),
			(error: unknown) => /went wrong/.test(reasonOf(error, undefined)),
		);
	});
});
