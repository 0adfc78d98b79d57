// Creates the gate: the pure decision, and the functions that collect its facts.
import type { Gate, GateContext, TurnCache } from "../core/ports/gate.ts";
import { toolExposure } from "./access.ts";
import { authorize, diverted, offers, reasons, refuse } from "./authorize.ts";
import { createCommandGatherer } from "./command/commandFacts.ts";
import { stepNames } from "./glob.ts";
import { grantable, neverGranted, outdated } from "./grants.ts";
import { protectedPlace } from "./hostProtection.ts";
import { createPathResolver, type LstatCache } from "./pathResolver.ts";
import { narrowed } from "./rules.ts";
import { excludedBy, isAllowedByLists } from "./scope.ts";

export function createGate(gateContext: GateContext): Gate {
	const paths = createPathResolver(gateContext);

	function sharedLook(memo: TurnCache = new Map()): LstatCache {
		const look = (memo.get("look") as LstatCache | undefined) ?? paths.look();
		memo.set("look", look);
		return look;
	}

	return {
		authorize,
		refuse,
		diverted,
		reasons,
		offers,
		exposure: toolExposure,
		cut: excludedBy,
		allowsSkill: ({ skillAllowlist, skillDenylist }, provider) => isAllowedByLists(skillAllowlist, skillDenylist, provider),
		grantable,
		neverGranted,
		outdated,
		narrowed,
		stepNames,
		path: paths.tool,
		unchecked: async (url) => (await gateContext.unchecked?.(url)) === true,
		command: createCommandGatherer(gateContext, paths),
		/** Names in a listing are used as they are; the spelling rules for tool arguments do not apply. */
		async visible(path, memo) {
			const fact = await paths.word(path, "/", "read", sharedLook(memo));
			return fact.refused === undefined && protectedPlace(fact) === undefined;
		},
	};
}
