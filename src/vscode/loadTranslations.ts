// Loads the editor language's translations; imported first so that load-time strings are translated, too.
import * as vscode from "vscode";
import { config, setLanguage } from "../shared/l10n.ts";

/** Maps English sentences to translations; undefined in English. */
export const translations: Record<string, string> | undefined = vscode.l10n.bundle as Record<string, string> | undefined;

if (translations) config({ contents: translations });
setLanguage(vscode.env.language);
