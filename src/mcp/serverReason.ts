// Gives the reason why a server failed, in its own or the SDK's words where it has some.
import { t } from "../shared/l10n.ts";
import { describeForLog, foreignReasonOf, modelReasonOf, reasonOf } from "../shared/reasonOf.ts";

type Log = (line: string) => void;

/** Returns a sentence for a person. It contains what the server sent: redact and clean it. */
export function serverReasonOf(error: unknown, log: Log): string {
	return unreadableReason(error, log) ?? foreignReasonOf(error) ?? reasonOf(error, log);
}

/** Returns a sentence for a model. It contains what the server sent: redact and clean it. */
export function modelServerReasonOf(error: unknown, log: Log): string {
	return unreadableReason(error, log) ?? foreignReasonOf(error) ?? modelReasonOf(error, log);
}

/** The SDK's parser says where in the response it failed, which tells nobody anything. */
function unreadableReason(error: unknown, log: Log): string | undefined {
	if (!(error instanceof SyntaxError)) return undefined;
	log(describeForLog(error));
	return t("The server's response couldn't be read.");
}
