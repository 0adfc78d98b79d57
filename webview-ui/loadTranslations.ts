// Loads the translations embedded in the page. Imported first, since labels are created on module load.
import { config, setLanguage } from "../src/shared/l10n.ts";

const given = document.getElementById("words")?.textContent;
if (given) config({ contents: JSON.parse(given) as Record<string, string> });
setLanguage(document.documentElement.lang);
