// States of reading: something is looked for, and a block of code shows what can be done with it.
import { states } from "./script.mjs";

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
			await chat.getByRole("button", { name: "Apply to the editor" }).first().focus();
		},
	},
};
