// The error whose sentence may be shown to the user.

/** `message` is a translated sentence. The text of any other error is for the log. */
export class UserError extends Error {
	override readonly name: string = "UserError";
}
