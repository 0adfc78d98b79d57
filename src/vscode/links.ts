// Handles links to Troupe: vscode://troupe.troupe/open?session= and /ask?agent=&text=.

// A link only opens a dialog that shows all of it. With consent it shows a session or fills the composer; nothing is sent.
import * as vscode from "vscode";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import type { DetailLine } from "./dialogs.ts";
import type { IntegrationContext } from "./integrations/integrationContext.ts";

interface OpenLink {
	kind: "open";
	session: string;
}

interface AskLink {
	kind: "ask";
	/** "" for the agent used last. */
	agent: string;
	text: string;
}

/** Maximum characters of everything that a link says. */
const MAX_LENGTH = 4_000;

/** Returns undefined if it is no link that Troupe knows. The editor has decoded the query already, so the text may contain & and =. */
function parseLink({ path, query }: vscode.Uri): OpenLink | AskLink | undefined {
	if (path === "/open") {
		const session = /^session=([^&]+)$/.exec(query)?.[1];
		return session === undefined ? undefined : { kind: "open", session };
	}
	if (path !== "/ask") return undefined;
	const asked = /^(?:agent=(?<agent>[^&]*)&)?text=(?<text>.*)$/s.exec(query)?.groups;
	return asked?.["text"] ? { kind: "ask", agent: asked["agent"] ?? "", text: asked["text"] } : undefined;
}

type Confirm = (question: string, lines: readonly DetailLine[], button: string) => Promise<boolean>;

export function registerLinks(context: IntegrationContext, confirm: Confirm = askFirst): vscode.Disposable {
	return vscode.window.registerUriHandler({
		async handleUri(uri) {
			try {
				await handleLink(uri, context, confirm);
			} catch (error) {
				await (await import("./errorNotifications.ts")).showError(error, (line) => context.log.error(line));
			}
		},
	});
}

/** Nothing is loaded or looked up before the user consents. */
async function handleLink(uri: vscode.Uri, context: IntegrationContext, confirm: Confirm): Promise<void> {
	if (uri.query.length > MAX_LENGTH) {
		throw new UserError(t("The link has more than {0} characters. Nothing was opened. Shorten its text, then try again.", MAX_LENGTH));
	}
	const link = parseLink(uri);
	if (!link) throw new UserError(t("Troupe doesn't know this link. Nothing was opened. Check that it is complete."));
	return link.kind === "open" ? openSession(link, context, confirm) : fillComposer(link, context, confirm);
}

async function openSession({ session }: OpenLink, { engine, views }: IntegrationContext, confirm: Confirm): Promise<void> {
	if (!(await confirm(t("Open this session from a link?"), [t("Session: {0}", session)], t("Open")))) return;
	const { sessions } = await engine.load();
	(await views.revealSession(await sessions.existing(session))).focus("composer");
}

async function fillComposer({ agent, text }: AskLink, { engine, views }: IntegrationContext, confirm: Confirm): Promise<void> {
	const [{ sanitizeForPrompt, visibleText }, { toInertText }] = await Promise.all([
		import("../shared/safeText.ts"),
		import("../shared/inertText.ts"),
	]);
	const plain = sanitizeForPrompt(text);
	const inert = toInertText(plain);
	const lines = [
		agent === "" ? t("Agent: the one used last") : t("Agent: {0}", agent),
		t("Nothing is sent before you send it."),
		...(plain === text ? [] : [t("Hidden characters, shown here as codes, are left out.")]),
		...(inert === plain ? [] : [t("Mentions and commands get a backslash and do nothing until you remove it.")]),
		"",
		{ written: visibleText(text) },
	];
	if (!(await confirm(t("Put this text from a link into a new session?"), lines, t("Fill In")))) return;
	const { sessions } = await engine.load();
	const { sessionId } = await sessions.create(agent === "" ? {} : { agentId: agent });
	const chat = await views.reveal();
	await chat.show(sessionId);
	chat.compose(inert);
	chat.focus("composer");
}

const askFirst: Confirm = async (question, lines, button) =>
	(await (await import("./consent.ts")).askForConsent(question, lines, [button])) === button;
