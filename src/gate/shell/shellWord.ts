// A word of a command line, with what of it the shell would change.

export interface ShellWord {
	/** After quote removal. A pattern stands as it was written, a variable by its name. */
	text: string;
	/** The text that the full parser sees in it: nothing in the place of a variable. */
	bare: string;
	/** Indices in `text` of the characters that make it a pattern. */
	pattern?: readonly number[];
	/** It holds a variable, whose value is not known here. */
	unknown?: true;
}
