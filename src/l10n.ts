// Words for the person, in the language of the editor: the English sentence is the key. What a model reads stays English.
export { config, t } from "@vscode/l10n";
