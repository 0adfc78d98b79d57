// Colours code by classes. A dozen languages: what people ask a coding agent about most.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = { bash, cpp, csharp, css, diff, go, java, json, markdown, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(["javascript", "js", "jsx", "mjs", "cjs"], { languageName: "typescript" });
hljs.registerAliases(["shell", "console", "shellscript"], { languageName: "bash" });

/** Longer code keeps its plain colour: colouring it would hold up the page. */
const LONGEST = 20_000;

/** HTML with `hljs-` classes, or undefined where there is nothing to colour. */
export function highlightCode(code: string, language: string): string | undefined {
	if (code.length > LONGEST || !hljs.getLanguage(language)) return undefined;
	return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
