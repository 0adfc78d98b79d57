// Gives the gate the editor's folders and the user's home folders.
import { homedir, userInfo } from "node:os";
import * as vscode from "vscode";
import type { GateContext } from "../../core/ports/gate.ts";
import { listHostFolders } from "./hostFolders.ts";

export type GateHostFacts = Required<Pick<GateContext, "hostFolders" | "homes">> & vscode.Disposable;

export function createGateHostFacts(context: vscode.ExtensionContext): GateHostFacts {
	const homes = [...new Set([homedir(), accountHome()].filter((home) => home !== ""))];
	let folders: ReturnType<GateHostFacts["hostFolders"]> | undefined;
	const listening = vscode.extensions.onDidChange(() => {
		folders = undefined;
	});
	return {
		homes,
		hostFolders() {
			folders ??= listHostFolders({
				platform: process.platform,
				env: process.env,
				homes,
				globalStorage: context.globalStorageUri.fsPath,
				appRoot: vscode.env.appRoot,
				extensions: vscode.extensions.all.map(({ extensionPath }) => extensionPath),
				...(context.extensionMode === vscode.ExtensionMode.Production && { installedPath: context.extensionPath }),
			});
			return folders;
		},
		dispose: () => listening.dispose(),
	};
}

/** The account's home directory, regardless of the environment; "" if the account is unknown. */
function accountHome(): string {
	try {
		return userInfo().homedir;
	} catch {
		return "";
	}
}
