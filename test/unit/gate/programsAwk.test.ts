// Programs of awk that are judged to only print and compute: written ones, and generated ones that then really run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSafeAwkProgram } from "../../../src/gate/programs/readers/awk.ts";

const daily = [
	...[
		"{print $1}",
		"NR==2",
		"/foo/",
		"!/foo/{print}",
		"$1 > 5",
		'$3 >= 2 && $4 != "x"',
		"{s+=$1} END {print s}",
		"{a[$1]++} END{for(k in a) print k, a[k]}",
	],
	...[
		'BEGIN{FS=":"; OFS="\\t"} {print $1,$NF}',
		'{printf "%s %d\\n", $1, $2}',
		"NR>1{print $1/2}",
		'{gsub(/a/,"b"); print}',
		"length($0) > 80",
	],
	...[
		"{print length}",
		"END{print NR}",
		"{print substr($0,1,10)}",
		"/a/,/b/",
		'{$2=""; print}',
		"{print toupper($1)}",
		"$1 ~ /^x/ {print; next}\n{n++}",
	],
	...["!seen[$0]++", "{ if ($1 > 3) print $2; else print $3 }", '{print ($1 == 2) ? "a" : "b"}'],
];

const more = [
	...[
		'BEGIN{system("x")}',
		'{print > "x"}',
		'{print >> "x"}',
		'{print | "sh"}',
		'{"date" | getline d}',
		'BEGIN{while((getline l < ".env")>0) print l}',
	],
	...[
		'BEGIN{ARGV[1]=".env"; ARGC=2}',
		'@include "x"',
		'@load "x"',
		'BEGIN{print ENVIRON["A"]}',
		'function f(){system("x")} {f()}',
		'{f="system"; @f("x")}',
	],
	...[
		'{if (x) /"/; system("x") #"/}',
		'{printf("%s") > "x"}',
		'{print(1)(2) > "x"}',
		'{print 1,\n2 > "x"}',
		'BEGIN{close("x")}',
		'{print /[/]/ > "x"}',
	],
	...[
		'{x = y / z > "w"; print x / 2 > "f"}',
		"{print $1 > $2}",
		'{ system ("x") }',
		'{print "a" |& "x"}',
		'BEGIN { printf "a" | "cat" }',
		"{x++ /a/ y}",
	],
];

const pieces = [
	...[
		"{",
		"}",
		"(",
		")",
		";",
		",",
		"\n",
		" ",
		"print ",
		"printf ",
		"$1",
		"x",
		"1",
		'"PWNED"',
		'"touch PWNED"',
		">",
		">>",
		"|",
		"/",
		"/",
		"/",
		'"',
		"\\",
	],
	...[
		"system(",
		"getline ",
		"x=",
		"==",
		"~",
		"&&",
		"||",
		"!",
		"[",
		"]",
		"if(",
		"else ",
		"BEGIN",
		"END",
		"+",
		"-",
		"++",
		"?",
		":",
		"in ",
		"#",
		"@",
		"close(",
		"length",
	],
];

describe("a program of awk", () => {
	it("of every day is judged to only print", () => {
		assert.deepEqual(
			daily.filter((program) => !isSafeAwkProgram(program)),
			[],
		);
	});

	it("that writes, runs or reads something else is not", () => {
		assert.deepEqual(more.filter(isSafeAwkProgram), []);
	});

	it("that is judged to only print changes nothing when it runs", () => {
		const outer = mkdtempSync(join(tmpdir(), "troupe-awk-"));
		const folder = join(outer, "in");
		mkdirSync(folder);
		writeFileSync(join(folder, "f"), "1 2\nPWNED touch\n");
		let state = 11;
		const next = (below: number) => {
			state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
			return Math.floor((state / 2 ** 32) * below);
		};
		const generated = new Set<string>();
		for (let count = 0; count < 300_000; count++) {
			const program = Array.from({ length: 2 + next(8) }, () => pieces[next(pieces.length)]).join("");
			if (isSafeAwkProgram(program)) generated.add(program);
		}
		const interesting = [...generated].sort((one, other) => signs(other) - signs(one)).slice(0, 600);
		assert.ok(interesting.length === 600);
		writeFileSync(join(outer, "programs"), interesting.map((program) => `${program}\0`).join(""));
		const loop = 'while IFS= read -r -d "" program; do timeout 2 awk "$program" f >/dev/null 2>&1 </dev/null; done < ../programs; true';
		execFileSync("bash", ["-c", loop], { cwd: folder });
		assert.deepEqual(readdirSync(folder), ["f"]);
		assert.equal(readFileSync(join(folder, "f"), "utf8"), "1 2\nPWNED touch\n");
		rmSync(outer, { recursive: true, force: true });
	});
});

/** How much of what could be taken otherwise a program holds. */
function signs(program: string): number {
	return program.match(/[/">|]/g)?.length ?? 0;
}
