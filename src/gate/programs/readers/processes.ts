// `ps`: what other programs were started with may hold secrets.
import { t } from "../../../shared/l10n.ts";
import type { Assessor } from "../judgement.ts";

/** `ps eww` and, on macOS, `ps -E` print environments, too. */
const ENVIRONMENT = /^(?:[A-Za-z]*e|-[A-Za-z]*E)/;

export const ps: Assessor = ({ words }) => {
	const shows = words.slice(1).some((word) => ENVIRONMENT.test(word));
	if (shows) return { always: t("ps shows the environment of other programs"), line: true, operands: [] };
	return { asks: t("ps shows what other programs were started with"), line: true, operands: [] };
};
