// How much a call found, for the eye: what stands at the right of its line.
import { formatNumber as shown, t } from "../../shared/l10n.ts";

export const resultCounts = {
	bytes: (count: number) => (count === 1 ? t("1 byte") : t("{0} bytes", shown(count))),
	entries: (count: number) => (count === 1 ? t("1 entry") : t("{0} entries", shown(count))),
	files: (count: number) => (count === 1 ? t("1 file") : t("{0} files", shown(count))),
	lines: (count: number) => (count === 1 ? t("1 line") : t("{0} lines", shown(count))),
	problems: (count: number) => (count === 1 ? t("1 problem") : t("{0} problems", shown(count))),
	steps: (count: number) => (count === 1 ? t("1 step") : t("{0} steps", shown(count))),
	symbols: (count: number) => (count === 1 ? t("1 symbol") : t("{0} symbols", shown(count))),
};
