// The chat with Find open, and with the actions of a code block.
import { states } from "./conversation.ts";
import type { ChatState } from "./events.ts";

export const readingStates = {
	finding: {
		update: states.done.update,
		async act({ chat }) {
			await chat.keyboard.press("Control+f");
			const field = chat.getByRole("textbox", { name: "Find" });
			await field.fill("money");
			await chat.getByText(/^\d+ of \d+$/).waitFor();
			await chat.waitForFunction(() => CSS.highlights.get("troupe-find-current")?.size === 1);
		},
	},
	codeActs: {
		update: states.done.update,
		async act({ chat }) {
			await chat.locator(".code .hljs-keyword").first().waitFor();
			await chat.getByRole("button", { name: "Apply in Editor" }).first().focus();
		},
	},
} satisfies Readonly<Record<string, ChatState>>;
