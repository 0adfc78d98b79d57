// Gives the reason why a server failed, in its own or the SDK's words where it has some.
import { t } from "../shared/l10n.ts";
import { describeForLog, foreignReasonOf, modelReasonOf, reasonOf } from "../shared/reasonOf.ts";

type Log = (line: string) => void;

/** A sentence for a person. Contains what the server sent: redact and clean it. */
export function serverReasonOf(error: unknown, log: Log): string {
	return unreadableReason(error, log) ?? foreignReasonOf(error) ?? reasonOf(error, log);
}

/** The same for a model. */
export function modelServerReasonOf(error: unknown, log: Log): string {
	return unreadableReason(error, log) ?? foreignReasonOf(error) ?? modelReasonOf(error, log);
}

/** The SDK's parser says where in the response it failed, which tells nobody anything. */
function unreadableReason(error: unknown, log: Log): string | undefined {
	if (!(error instanceof SyntaxError)) return undefined;
	log(describeForLog(error));
	return t("The server's response couldn't be read.");
}
