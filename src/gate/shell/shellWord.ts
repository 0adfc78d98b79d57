// A word of a command line, and the parts of it that the shell would change.

export interface ShellWord {
	/** The text after quote removal. Patterns are kept as written, variables by name. */
	text: string;
	/** The text that the full parser reads: nothing in place of a variable. */
	bare: string;
	/** Indices in `text` of pattern characters. */
	pattern?: readonly number[];
	/** It contains a variable whose value is unknown here. */
	unknown?: true;
}
