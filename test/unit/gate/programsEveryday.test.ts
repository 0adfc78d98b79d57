// Programs of every day that got their tables late: what they read, and what about them asks.
import assert from "node:assert/strict";
import { verdict } from "./judged.ts";

describe("a table of", () => {
	const wanted: Record<string, Record<string, string>> = {
		fd: {
			"fd '\\.ts$'": "reads ./names",
			"fd -e ts -t f x src test": "reads src/names test/names",
			"fdfind -HIL x src": "reads src/names!",
			"fd x -x rm": "always src",
			"fd x src --exec-batch rm": "always",
			"fd -l x": "always",
			"fd --base-directory .. x": "always",
		},
		yq: {
			"yq .a.b x.yml": "reads x.yml",
			"yq -r '.a[] | select(.b == \"c\") | length' x.yml y.yml": "reads x.yml y.yml",
			"yq -o=json . x.yml": "reads x.yml",
			"yq -o json . x.yml": "reads x.yml",
			"yq -i .a=1 x.yml": "always",
			"yq -s .a x.yml": "always",
			"yq eval .a x.yml": "always",
			"yq 'load(\".env\")' x.yml": "always",
			"yq '.a = env(HOME)' x.yml": "always",
			'yq \'.a # " load(".b") "\' x.yml': "always",
			"yq '\"\\(load(.b))\"' x.yml": "always",
			"yq '$ENV' x.yml": "always",
			"yq .env": "reads .env",
		},
		iconv: {
			"iconv -f latin1 -t UTF-8//TRANSLIT a.txt": "reads a.txt",
			"iconv -f ./map -t UTF-8 a.txt": "always",
			"iconv -t UTF-8 -o b.txt a.txt": "always",
		},
		lscpu: { lscpu: "reads", "lscpu -s /x": "always" },
		whereis: { "whereis -b node": "reads", "whereis -B x -f node": "always" },
	};
	for (const [program, lines] of Object.entries(wanted)) {
		it(`${program} tells what it reads from what asks`, () => {
			for (const [line, want] of Object.entries(lines)) {
				const found = verdict(line);
				assert.equal(
					want.startsWith("always") ? found.split(" ")[0] : found.replaceAll("/tree", ""),
					want.split(" ")[0] === "always" ? "always" : want,
					line,
				);
			}
		});
	}
});
