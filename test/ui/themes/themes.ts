// Four of VS Code's themes, as it hands them to a webview.
import { darkHighContrast, lightHighContrast, moreDarkContrast, moreLightContrast } from "./highContrast.ts";
import { darkModern, lightModern, moreDark, moreLight } from "./modern.ts";

const fonts = { "font-family": '"DejaVu Sans", sans-serif', "font-size": "13px", "editor-font-family": '"DejaVu Sans Mono", monospace' };

/** Name → the class of VS Code's body and the variables. */
export const themes = {
	dark: { body: "vscode-dark", colors: { ...moreDark, ...darkModern } },
	light: { body: "vscode-light", colors: { ...moreLight, ...lightModern } },
	contrast: { body: "vscode-high-contrast", colors: { ...moreDarkContrast, ...darkHighContrast } },
	contrastLight: { body: "vscode-high-contrast-light", colors: { ...moreLightContrast, ...lightHighContrast } },
} satisfies Readonly<Record<string, { body: string; colors: Readonly<Record<string, string>> }>>;

export type Theme = keyof typeof themes;
export const themeNames = Object.keys(themes) as Theme[];
export const isTheme = (name: string): name is Theme => Object.hasOwn(themes, name);

/** Of what VS Code puts below every webview's own styles: what has shown through ours. */
const BELOW = `@layer below {
	html { scrollbar-color: var(--vscode-scrollbarSlider-background) var(--vscode-editor-background); }
	body { padding: 0 20px; color: var(--vscode-editor-foreground); }
	img { max-width: 100%; max-height: 100%; }
	a, a code { color: var(--vscode-textLink-foreground); }
	:is(a, input, select, textarea):focus { outline: 1px solid -webkit-focus-ring-color; }
	code { padding: 1px 3px; border-radius: 4px; color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); }
	::-webkit-scrollbar { width: 10px; height: 10px; }
	::-webkit-scrollbar-thumb { background-color: var(--vscode-scrollbarSlider-background); }
}`;

/** The theme's style sheet; `surface` names the variable of the background behind the chat. */
export function styleSheet(name: Theme, surface = "sideBar-background"): string {
	const colors: Readonly<Record<string, string>> = themes[name].colors;
	const lines = Object.entries({ ...fonts, ...colors }).map(([key, value]) => `--vscode-${key}: ${value};`);
	return `${BELOW}\n:root { ${lines.join(" ")} }\nhtml { background: ${colors[surface]}; }`;
}
