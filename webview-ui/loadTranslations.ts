// Loads the translations that the host has put into the page. Imported first: labels are made when modules load.
import { config, setLanguage } from "../src/shared/l10n.ts";

const given = document.getElementById("words")?.textContent;
if (given) config({ contents: JSON.parse(given) as Record<string, string> });
setLanguage(document.documentElement.lang);
