// An agent's offer to switch, the session that it led to, and a summary that waits to be sent.
import type { Carry } from "../../../src/core/caller.ts";
import type { ChatPage } from "../browser.ts";
import { parts } from "./conversation.ts";
import { type ChatState, call, ended, event, model, result, snapshot, started, user } from "./events.ts";

export const MESSAGE = "Write the release notes for 0.2.0 from CHANGELOG.md. Keep them under a page.";
export const SUMMARY = { blob: "a".repeat(64), label: "From Docs writer: Release notes for 0.2.0" };

/** The events of a turn that ends with the offer. */
export function offered(carry: Carry = "summary", { agent = "docs", message = MESSAGE } = {}) {
	return [
		event("role", { role: "planner" }),
		user("Now the release notes, please"),
		started("planner"),
		model({ text: "The Docs writer is better suited for that.", calls: [call("w1", "agents_switch", { agentId: agent, message, carry })] }),
		result("w1", "The offer is shown to the person.", { kind: "text" }),
		event(
			"question",
			{
				request: "w1",
				question: { question: "Switch to Docs writer?", severity: "minor", allow_custom: false },
				about: { kind: "switchAgent", agent, message, carry },
			},
			"model",
		),
		ended("waiting"),
	];
}

const LONG = Array.from(
	{ length: 30 },
	(_, index) => `${index + 1}. Mention \\@src/checkout/cartSummary${index}.ts and why it changed.`,
).join("\n");
const NAME = "Reviewer of changes that touch the database and everything that stands behind it";
const longName = {
	agents: [
		{ id: "default", label: "General Assistant" },
		{ id: "review", label: NAME },
	],
};
const waitForCard = async ({ chat }: ChatPage) => {
	await chat.getByRole("region", { name: /^Switch to / }).waitFor();
};

export const switchStates = {
	switchOffer: { update: snapshot(offered()), act: waitForCard },
	switchOfferLong: { update: snapshot(offered("all", { agent: "review", message: LONG }), longName), act: waitForCard },
	switchOfferFocus: {
		update: snapshot(offered("plan")),
		async act({ chat }) {
			await chat.getByRole("textbox", { name: "Message to Docs writer" }).focus();
		},
	},
	switchTaken: {
		update: snapshot([
			...offered("none"),
			event("answered", { request: "w1", answer: { value: "Switched to Docs writer" } }, "person"),
			event("status", { level: "info", text: "This conversation was summarized for another session." }, "person"),
		]),
	},
	switchedHere: {
		update: snapshot(
			[
				event("role", { role: "planner" }),
				user(MESSAGE, { attachments: [{ kind: "conversation", label: "From General Assistant: Rename formatPrice", text: "…" }] }),
				started("planner"),
				model({ text: "The notes are in `docs/notes.md`." }),
				ended("done"),
			],
			{ switchedFrom: { agent: "General Assistant" } },
		),
	},
	switchedHereLong: { update: snapshot(parts.planned, { switchedFrom: { agent: NAME } }) },
	switchedFromDeleted: { update: snapshot(parts.planned, { switchedFrom: { agent: "General Assistant", deleted: true } }) },
	returned: {
		update: snapshot(parts.planned, {
			attached: [SUMMARY],
			panel: { on: true, name: "cart.ts", place: "src/cart.ts" },
		}),
		async act({ chat }) {
			await chat.getByRole("textbox", { name: "Message" }).fill("Do it as decided there");
		},
	},
} satisfies Readonly<Record<string, ChatState>>;
