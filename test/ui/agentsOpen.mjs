// The page "Manage Agents" opened as its tests need it: with an agent, with a draft, with a definition that waits.
import { agentStates } from "./agentStates.mjs";
import { detailOf, limited, releaseNotes, snapshotOf, waitingDetail } from "./agentsHost.mjs";

export const KEY = "agent:release-notes";
export const { rows: ROWS } = agentStates.agentsEdit.update.view;
const WAITING = agentStates.agentsWaiting.update;
export const REVIEWER = WAITING.view.rows.find(({ kind }) => kind === "waiting").key;

export const asked = (page, type) => page.chat.waitForFunction((wanted) => window.posted.some((message) => message.type === wanted), type);

/** The newest of that type that the page posted, once there is one. */
export async function last(page, type) {
	await asked(page, type);
	return (await page.posted()).findLast((message) => message.type === type);
}

/** `open` opens a page of any bundle. */
export function agentsOpen(open) {
	const opened = async (update, after = [], options = {}) => {
		const page = await open({ bundle: "agents", width: 1_100, reducedMotion: "reduce", ...options });
		await page.send(update);
		await page.sendAll(after);
		await page.chat.waitForSelector(".editor-body");
		return page;
	};
	const editing = async (draft = releaseNotes, over = {}, options = {}) => {
		const page = await opened(
			snapshotOf(ROWS, options.view),
			[{ type: "select", key: KEY }, detailOf(KEY, draft, { scope: limited, ...over })],
			options.page,
		);
		await page.chat.waitForFunction((name) => document.querySelector("#f-displayName")?.value === name, draft.displayName);
		await page.posted();
		return page;
	};
	const waiting = async () => {
		const page = await opened(WAITING, [
			{ type: "select", key: REVIEWER },
			{ type: "detail", key: REVIEWER, detail: waitingDetail() },
		]);
		await page.chat.getByRole("button", { name: "Approve" }).waitFor();
		await page.posted();
		return page;
	};
	return { opened, editing, waiting };
}
