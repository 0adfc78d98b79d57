// The fake `vscode` module of unit tests: records what it is asked to show and answers as the test says.
import type { Uri } from "./vscode/values.ts";

export * from "./vscode/languageModels.ts";
export * from "./vscode/values.ts";

interface Shown {
	how: string;
	text: string;
	detail?: string;
	buttons: string[];
}

export const shown: Shown[] = [];
/** Texts that were opened to be read. */
export const opened: string[] = [];
type Pressed = string | undefined;
let press: Pressed | Promise<Pressed>;

/** What is pressed in the messages that are shown; a promise leaves them open until then. */
export function presses(button: Pressed | Promise<Pressed>): void {
	press = button;
}

function message(how: string) {
	return async (text: string, ...rest: (string | { detail?: string })[]): Promise<string | undefined> => {
		const options = rest.find((one) => typeof one === "object");
		const buttons = rest.filter((one) => typeof one === "string");
		shown.push({ how, text, buttons, ...(options?.detail !== undefined && { detail: options.detail }) });
		return press;
	};
}

interface Provider {
	provideTextDocumentContent(uri: Uri): string | undefined;
}

let provider: Provider | undefined;

export interface StatusItem {
	text: string;
	tooltip: string;
	accessibilityInformation?: { label: string };
	isShown: boolean;
	show(): void;
	hide(): void;
	dispose(): void;
}

/** The entries of the status bar. */
export const statusItems: StatusItem[] = [];

export const window = {
	createStatusBarItem(): StatusItem {
		const item: StatusItem = {
			...{ text: "", tooltip: "", isShown: false },
			show() {
				item.isShown = true;
			},
			hide() {
				item.isShown = false;
			},
			dispose: () => undefined,
		};
		statusItems.push(item);
		return item;
	},
	showInformationMessage: message("info"),
	showWarningMessage: message("warning"),
	showErrorMessage: message("error"),
	showQuickPick: async (given: Listed[] | Promise<Listed[]>, options: { title?: string; canPickMany?: boolean } = {}): Promise<unknown> => {
		const items = await given;
		asked.push({ title: options.title ?? "", labels: items.map(({ label }) => label) });
		const answer = answers.shift();
		if (options.canPickMany) return Array.isArray(answer) ? items.filter(({ label }) => answer.includes(label)) : undefined;
		return items.find(({ label }) => answer !== undefined && label.includes(String(answer)));
	},
	showInputBox: async (options: Asked & { validateInput?(value: string): unknown } = {}): Promise<string | undefined> => {
		asked.push(options);
		const answer = answers.shift() as string | undefined;
		if (answer === undefined) return undefined;
		const problem = await options.validateInput?.(answer);
		if (problem) throw new Error(`${answer} is refused: ${String(problem)}`);
		return answer;
	},
	state: { focused: true },
	onDidChangeWindowState: () => ({ dispose: () => undefined }),
	withProgress: async (_: unknown, work: () => unknown): Promise<unknown> => work(),
	visibleTextEditors: [] as unknown[],
	createTextEditorDecorationType: (options: unknown) => options,
	onDidChangeVisibleTextEditors: (listener: () => void) => {
		changed.editors = listener;
	},
	createTerminal: ({ pty }: { pty: Pseudoterminal }) => {
		const close = () => {
			if (terminal.isOpen) pty.close();
			terminal.isOpen = false;
		};
		const terminal = { written: "", isOpen: true, type: (data: string) => pty.handleInput(data), close };
		terminals.push(terminal);
		// As in VS Code, a terminal that ends by itself is not asked to close.
		pty.onDidClose(() => {
			terminal.isOpen = false;
		});
		pty.onDidWrite((text) => {
			terminal.written += text;
		});
		return { show: () => pty.open({ columns: 80, rows: 24 }), dispose: close };
	},
	registerUriHandler: (handler: typeof linkHandler) => {
		linkHandler = handler;
	},
	createQuickPick: (): QuickPick => {
		const pick = new QuickPick();
		picks.push(pick);
		return pick;
	},
	showTextDocument: async ({ uri, text }: { uri: Uri; text: string }) => {
		last = uri;
		opened.push(text);
	},
};
let linkHandler: { handleUri(uri: { path: string; query: string }): unknown } | undefined;

export const lastLinkHandler = () => linkHandler;

/** Opens a link to the extension. */
export async function followLink(path: string, query: string): Promise<void> {
	await linkHandler?.handleUri({ path, query });
}

export const workspace = {
	registerTextDocumentContentProvider(_: string, given: Provider) {
		provider = given;
	},
	registerFileSystemProvider: () => ({ dispose: () => undefined }),
	onDidChangeTextDocument: (listener: (event: { document: unknown }) => void) => {
		changed.text = listener;
	},
	fs: {
		stat: async (uri: Uri): Promise<object> => {
			if (!existing.has(uri.toString())) throw new Error(`${uri.toString()} is not there`);
			return {};
		},
	},
	openTextDocument: async (uri: Uri) => {
		const text = provider?.provideTextDocumentContent(uri) ?? "";
		return { uri, text, getText: () => text };
	},
	/** No folder is open. */
	asRelativePath: (place: string | Uri) => (typeof place === "string" ? place : place.fsPath),
	getConfiguration: () => ({
		get: (name: string) => configuration.get(name),
		inspect: (name: string) => ({ globalValue: configuration.get(name) }),
		update: async (name: string, value: unknown) => void configuration.set(name, value),
	}),
};
/** Addresses of the files that there are. */
export const existing = new Set<string>();
/** Values of settings, by the last part of their name. */
export const configuration = new Map<string, unknown>();

interface Lens {
	command: { command: string; title: string; arguments: unknown[] };
}

let lenses: { provideCodeLenses(document: { uri: Uri }): Lens[] } | undefined;

/** Presses the button above the text that was opened last; the titles of those there are. */
export async function pressInText(title?: string): Promise<string[]> {
	const found = last ? (lenses?.provideCodeLenses({ uri: last }) ?? []) : [];
	const meant = found.find(({ command }) => command.title === title)?.command;
	if (meant) await commands.executeCommand(meant.command, ...meant.arguments);
	return found.map(({ command }) => command.title);
}

let last: Uri | undefined;

export const languages = {
	setTextDocumentLanguage: async (document: unknown) => document,
	registerCodeLensProvider(_: unknown, given: NonNullable<typeof lenses>) {
		lenses = given;
	},
};

interface Pseudoterminal {
	onDidWrite(listener: (text: string) => void): unknown;
	onDidClose(listener: () => void): unknown;
	open(size: { columns: number; rows: number }): void;
	close(): void;
	handleInput(data: string): void;
}

/** The terminals that were opened: all that was written to each, and their keyboards. */
export const terminals: { written: string; isOpen: boolean; type(data: string): void; close(): void }[] = [];
/** Tells that other editors are in sight, or that a text has changed. */
export const changed = { editors: () => {}, text: (_: { document: unknown }) => {} };
/** What runs where a test has named a command. */
export const handlers = new Map<string, (...given: unknown[]) => unknown>();
export const commands = {
	registerCommand: (id: string, handler: (...given: never[]) => unknown) =>
		void handlers.set(id, handler as (...given: unknown[]) => unknown),
	executeCommand: async (id: string, ...given: unknown[]): Promise<unknown> => handlers.get(id)?.(...given),
};

/** Quick picks in the order in which they were made. */
export const picks: QuickPick[] = [];

interface Listed {
	label: string;
	description?: string;
	detail?: string;
	kind?: number;
	buttons?: { tooltip: string }[];
}

interface Asked {
	title?: string;
	prompt?: string;
	password?: boolean;
	labels?: string[];
}

/** Lists to pick from and boxes to type in, in the order in which they were shown. */
export const asked: Asked[] = [];
/** What a test picks, by a part of its label, and types, in this order. */
export const answers: (string | string[] | undefined)[] = [];

type Heard = (given: unknown) => unknown;

/** A list that a test reads, and of which it presses rows and buttons. */
export class QuickPick {
	items: Listed[] = [];
	selectedItems: Listed[] = [];
	activeItems: Listed[] = [];
	buttons: { tooltip: string }[] = [];
	value = "";
	title = "";
	placeholder = "";
	busy = false;
	canSelectMany = false;
	ignoreFocusOut = false;
	/** How often it was brought up. */
	shows = 0;
	visible = false;
	private readonly heard = new Map<string, Heard[]>();

	onDidAccept = (listener: Heard) => this.hear("accept", listener);
	onDidHide = (listener: Heard) => this.hear("hide", listener);
	onDidChangeValue = (listener: Heard) => this.hear("value", listener);
	onDidTriggerButton = (listener: Heard) => this.hear("button", listener);
	onDidTriggerItemButton = (listener: Heard) => this.hear("item", listener);

	show(): void {
		this.shows += 1;
		this.visible = true;
	}
	hide(): void {
		if (!this.visible) return;
		this.visible = false;
		this.tell("hide");
	}
	dispose(): void {
		this.hide();
	}

	row(label: string): Listed {
		const found = this.items.find((item) => item.label.includes(label));
		if (!found) throw new Error(`no row ${label} among ${this.items.map((item) => item.label).join(", ")}`);
		return found;
	}
	accept(label: string): void {
		this.selectedItems = [this.row(label)];
		this.activeItems = this.selectedItems;
		this.tell("accept");
	}
	press(label: string, tooltip: string): void {
		const item = this.row(label);
		const button = item.buttons?.find((one) => one.tooltip === tooltip);
		if (!button) throw new Error(`the row ${label} has no button ${tooltip}`);
		this.tell("item", { item, button });
	}
	type(value: string): void {
		this.value = value;
		this.tell("value", value);
	}

	private hear(what: string, listener: Heard): { dispose(): void } {
		this.heard.set(what, [...(this.heard.get(what) ?? []), listener]);
		return { dispose: () => undefined };
	}
	private tell(what: string, given?: unknown): void {
		for (const listener of this.heard.get(what) ?? []) listener(given);
	}
}

let copied = "";
export const env = {
	language: "en",
	clipboard: {
		readText: async () => copied,
		writeText: async (text: string) => {
			copied = text;
		},
	},
	openExternal: async (_: unknown) => true,
};
export const l10n = { bundle: undefined };
