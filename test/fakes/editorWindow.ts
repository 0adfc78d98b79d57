// Of the editor's API, what dialogs use: it keeps what is shown, and presses the button that a test says.
interface Shown {
	how: string;
	text: string;
	detail?: string;
	buttons: string[];
}

export const shown: Shown[] = [];
/** Texts that were opened to be read. */
export const opened: string[] = [];
let press: string | undefined;

export function presses(button: string | undefined): void {
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

export class Uri {
	private readonly parts: unknown;
	constructor(parts: unknown) {
		this.parts = parts;
	}
	static from(parts: unknown): Uri {
		return new Uri(parts);
	}
	toString(): string {
		return JSON.stringify(this.parts);
	}
}

export interface StatusItem {
	text: string;
	tooltip: string;
	accessibilityInformation?: { label: string };
	show(): void;
	dispose(): void;
}

/** The entries of the status bar. */
export const statusItems: StatusItem[] = [];
export const StatusBarAlignment = { Left: 1, Right: 2 };

export const window = {
	createStatusBarItem(): StatusItem {
		const item: StatusItem = { text: "", tooltip: "", show: () => undefined, dispose: () => undefined };
		statusItems.push(item);
		return item;
	},
	showInformationMessage: message("info"),
	showWarningMessage: message("warning"),
	showErrorMessage: message("error"),
	createQuickPick: (): QuickPick => {
		const pick = new QuickPick();
		picks.push(pick);
		return pick;
	},
	showTextDocument: async ({ text }: { text: string }) => opened.push(text),
};
export const workspace = {
	registerTextDocumentContentProvider(_: string, given: Provider) {
		provider = given;
	},
	openTextDocument: async (uri: Uri) => ({ text: provider?.provideTextDocumentContent(uri) ?? "" }),
};
export const languages = { setTextDocumentLanguage: async (document: unknown) => document };
/** What runs where a test has named a command. */
export const handlers = new Map<string, (...given: unknown[]) => unknown>();
export const commands = { executeCommand: async (id: string, ...given: unknown[]): Promise<unknown> => handlers.get(id)?.(...given) };

/** Quick picks in the order in which they were made. */
export const picks: QuickPick[] = [];

interface Listed {
	label: string;
	description?: string;
	detail?: string;
	kind?: number;
	buttons?: { tooltip: string }[];
}

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

export const QuickPickItemKind = { Separator: -1, Default: 0 };

export class ThemeIcon {
	readonly id: string;
	constructor(id: string) {
		this.id = id;
	}
}
