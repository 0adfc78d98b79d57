// Every reason why a call asks, for the person: the decision itself names the first.
import type { Gate, GateRequest } from "../core/ports/gate.ts";
import { t } from "../shared/l10n.ts";
import { commandAskReasons, commandRisks } from "./commandDecision.ts";
import { isDeletion } from "./grants.ts";
import { protectedPlace } from "./places.ts";
import { matchRules } from "./rules.ts";
import { autoExecutedAskReason } from "./runsByItself.ts";

/** More than these nobody reads, and a line may name thousands of paths. */
const MOST = 12;

export const reasons: Gate["reasons"] = (request) => {
	const found = new Set<string>();
	for (const reason of each(request)) {
		found.add(reason);
		if (found.size === MOST) break;
	}
	return [...found];
};

function* each(request: GateRequest): Generator<string> {
	const matched = "invalid" in request.rules ? undefined : matchRules(request.rules, request);
	if (matched?.decision === "ask") yield t("Asks because of your rule {0}.", matched.rule);
	for (const path of request.paths) {
		const place = protectedPlace(path);
		if (place) yield place.reason;
	}
	if (isDeletion(request)) yield t("Asks because deleting always asks.");
	const { command } = request;
	if (command) {
		for (const { reason } of commandRisks(command)) yield reason;
		yield* commandAskReasons({ ...request, command });
		return;
	}
	const running = autoExecutedAskReason(request, request.paths);
	if (running) yield running.reason;
}
