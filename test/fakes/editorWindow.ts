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

export const window = {
	showInformationMessage: message("info"),
	showWarningMessage: message("warning"),
	showErrorMessage: message("error"),
	showTextDocument: async ({ text }: { text: string }) => opened.push(text),
};
export const workspace = {
	registerTextDocumentContentProvider(_: string, given: Provider) {
		provider = given;
	},
	openTextDocument: async (uri: Uri) => ({ text: provider?.provideTextDocumentContent(uri) ?? "" }),
};
export const languages = { setTextDocumentLanguage: async (document: unknown) => document };
export const commands = { executeCommand: async (): Promise<void> => undefined };
