// Colors available to agents: VS Code theme colors, each with a class in styles/agentColors.css.
import { t } from "../src/shared/l10n.ts";

/** Labels by theme color id. */
export const agentColors: ReadonlyMap<string, string> = new Map([
	["charts.red", t("Red")],
	["charts.orange", t("Orange")],
	["charts.yellow", t("Yellow")],
	["charts.green", t("Green")],
	["charts.blue", t("Blue")],
	["charts.purple", t("Purple")],
	["charts.foreground", t("Foreground")],
	["charts.lines", t("Lines")],
	["terminal.ansiRed", t("Terminal red")],
	["terminal.ansiYellow", t("Terminal yellow")],
	["terminal.ansiGreen", t("Terminal green")],
	["terminal.ansiCyan", t("Terminal cyan")],
	["terminal.ansiBlue", t("Terminal blue")],
	["terminal.ansiMagenta", t("Terminal magenta")],
	["terminal.ansiBlack", t("Terminal black")],
	["terminal.ansiWhite", t("Terminal white")],
	["terminal.ansiBrightRed", t("Terminal bright red")],
	["terminal.ansiBrightYellow", t("Terminal bright yellow")],
	["terminal.ansiBrightGreen", t("Terminal bright green")],
	["terminal.ansiBrightCyan", t("Terminal bright cyan")],
	["terminal.ansiBrightBlue", t("Terminal bright blue")],
	["terminal.ansiBrightMagenta", t("Terminal bright magenta")],
	["terminal.ansiBrightBlack", t("Terminal bright black")],
	["terminal.ansiBrightWhite", t("Terminal bright white")],
]);

/** CSS class of a color; "" for an unknown one. */
export function agentColorClass(color: string | undefined): string {
	return color !== undefined && agentColors.has(color) ? `tint-${color.replace(".", "-")}` : "";
}
