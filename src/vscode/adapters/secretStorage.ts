// VS Code's secret storage, with the reasons of its failures as sentences for the user.
import type * as vscode from "vscode";
import { UserError } from "../../core/userError.ts";
import { foreignReasonOf } from "../../shared/reasonOf.ts";

export type SecretStorage = Pick<vscode.SecretStorage, "get" | "store" | "delete">;

/** A locked keyring, for one, is a plain error, whose words are VS Code's or the operating system's. */
export function createSecretStorage(storage: SecretStorage): SecretStorage {
	return {
		get: (name) => withReason(storage.get(name)),
		store: (name, value) => withReason(storage.store(name, value)),
		delete: (name) => withReason(storage.delete(name)),
	};
}

async function withReason<T>(work: Thenable<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		const reason = foreignReasonOf(error);
		throw reason === undefined ? error : new UserError(reason, { cause: error });
	}
}
