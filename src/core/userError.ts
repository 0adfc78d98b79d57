// Errors whose own words say what happened.

/** `message` may be shown as it is, or given to a model. The text of any other error is for the log. */
export class ExplainedError extends Error {}

/** `message` is a translated sentence for the user. */
export class UserError extends ExplainedError {
	override readonly name: string = "UserError";
}
