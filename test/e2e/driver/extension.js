// Acts in a window for a test: runs commands, opens files and sets the theme, and answers when it is done.

// The tests listen on the socket in E2E_DRIVER; lines of JSON go both ways: { id, act, input } and { id, output } or { id, error }.
const { connect } = require("node:net");
const { createInterface } = require("node:readline");
const vscode = require("vscode");

const acts = {
	command: ({ command, parameters = [] }) => vscode.commands.executeCommand(command, ...parameters),

	async open({ path, line }) {
		const at = line === undefined ? undefined : new vscode.Position(line - 1, 0);
		const selection = at && new vscode.Range(at, at);
		await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false, selection });
	},

	text: () => vscode.window.activeTextEditor?.document.getText(),

	/** Resolves when the theme of that kind (see `vscode.ColorThemeKind`) is active. */
	async theme({ name, kind }) {
		const active = new Promise((resolve) => {
			const check = ({ kind: now }) => now === kind && resolve();
			vscode.window.onDidChangeActiveColorTheme(check);
			check(vscode.window.activeColorTheme);
		});
		await vscode.workspace.getConfiguration().update("workbench.colorTheme", name, vscode.ConfigurationTarget.Global);
		await active;
	},
};

exports.activate = () => {
	const address = process.env.E2E_DRIVER;
	if (address === undefined) return;
	const socket = connect(address);
	const send = (message) => socket.write(`${JSON.stringify(message)}\n`);
	socket.on("error", (error) => console.error(`The tests can't be reached: ${error.message}`));
	send({ folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath });
	createInterface({ input: socket }).on("line", async (line) => {
		const { id, act, input } = JSON.parse(line);
		try {
			const output = await acts[act](input);
			send({ id, output: isPlain(output) ? output : undefined });
		} catch (error) {
			send({ id, error: error instanceof Error ? error.message : String(error) });
		}
	});
};

/** Editors and terminals, which some commands return, have no place in JSON. */
function isPlain(value) {
	return ["string", "number", "boolean"].includes(typeof value);
}
