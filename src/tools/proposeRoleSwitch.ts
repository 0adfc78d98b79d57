// offer_switch: a role that may not change anything was asked to; the person gets a button instead of an explanation.
import * as z from "zod";
import { defineTool } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";

export const proposeRoleSwitch = defineTool({
	name: "offer_switch",
	plugin: "plan",
	description: "Offer to switch to the role that acts, for a small change wanted at once.",
	permissions: [],
	capabilities: ["plan.ask"],
	input: z.object({ reason: z.string().min(1).max(500).describe("What you would then do") }),
	suits: (role) => role.acts !== undefined,
	summary: () => t("Offer to switch the role"),
	done: () => t("Offered to switch the role"),
	async run({ reason }) {
		return {
			output: "The offer is shown to the person. The turn ends here; wait for their answer.",
			events: [{ type: "switch", reason }],
		};
	},
});
