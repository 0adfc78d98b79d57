// Loads the translations of the editor's language. Imported first, so that what is said at load time is said in that language, too.
import * as vscode from "vscode";
import { config, setLanguage } from "../shared/l10n.ts";

/** English sentence to translation; undefined in English. */
export const translations: Record<string, string> | undefined = vscode.l10n.bundle as Record<string, string> | undefined;

if (translations) config({ contents: translations });
setLanguage(vscode.env.language);
