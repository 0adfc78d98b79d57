// Programs that run another one, programs that stand for another one, and programs that are asked for their version.
import assert from "node:assert/strict";
import { assessVersionFlag, isShim } from "../../../src/gate/programs/lookup.ts";
import { isHarmlessAssignment, type UnwrappedCommand, unwrapCommand } from "../../../src/gate/programs/unwrapCommand.ts";
import { call } from "./judged.ts";

/** The inner words joined, with what is said of them. */
function inner(line: string): string | undefined {
	const found = unwrapCommand(call(line));
	return found && [found.words.join(" "), ...marks(found)].join(" | ");
}

function marks({ flavor, open, builtins, unknown }: UnwrappedCommand): string[] {
	return [
		...(flavor ? [flavor] : []),
		...(open ? ["open"] : []),
		...(builtins ? ["builtins"] : []),
		...[...unknown].map((place) => `?${place}`),
	];
}

describe("a program that runs another one", () => {
	it("is judged as what it runs", () => {
		const runs: Record<string, string> = {
			"command rm x": "rm x | builtins",
			"time -p ls -l": "ls -l | builtins",
			"nohup make": "make",
			"stdbuf -oL --error 0 make": "make",
			"nice -n 5 make": "make",
			"nice -5 make": "make",
			"timeout -s KILL -k 1 60 npm test": "npm test",
			"timeout 1.5m npm test": "npm test",
			"env CI=1 NODE_ENV=test npm test": "npm test",
			"env npm test": "npm test",
			"jobs -x rm x": "rm x | builtins",
			"busybox sed -n p": "sed -n p | busybox",
			"gsed -n p": "sed -n p | gnu",
			"gtimeout 5 ls": "timeout 5 ls | gnu",
			"xargs -0 -n 1 rm": "rm | open",
			"xargs -I{} cp {} out": "cp {} out | ?1",
			xargs: "echo | open",
			"timeout 5 echo $X": "echo $X | ?1",
		};
		assert.deepEqual(Object.fromEntries(Object.keys(runs).map((line) => [line, inner(line)])), runs);
	});

	it("is unknown with anything that could change what runs", () => {
		const lines = [
			...["env PATH=. ls", "env -i ls", "env -S 'ls x'", "env LD_PRELOAD=x ls", "env CI=$X ls", "env CI=a;b ls", "env", "env CI=1"],
			...[
				"command -p ls",
				"nohup",
				"stdbuf -x make",
				"command",
				"time -o f ls",
				"time --output=f ls",
				"timeout $X ls",
				"timeout 5",
				"timeout --x 5 ls",
				"timeout ls x",
			],
			...[
				"xargs -a list ls",
				"xargs -i ls",
				"xargs -I{} {}",
				"xargs $X",
				"nice --x ls",
				"busybox",
				"busybox xargs ls",
				"busybox env ls",
				"busybox --list",
			],
			...["jobs -x", "jobs -x cat %1", "gunknown x", "gcc x", "git x", "sudo ls"],
		];
		assert.deepEqual(
			lines.filter((line) => inner(line) !== undefined),
			[],
		);
	});

	it("may set the variables that change nothing but how a program talks", () => {
		const fine = ["CI=", "CI=true", "NODE_ENV=test", "TZ=Europe/Berlin", "FORCE_COLOR=0", "NO_COLOR=1", "RUST_BACKTRACE=full"];
		assert.ok(fine.every(isHarmlessAssignment));
		const others = ["PATH=.", "ci=1", "NODE_OPTIONS=--require=x", "CI=a b", "CI=$(x)", "NODE_ENV=a\nb", "TZ=:/etc/passwd", "XCI=1", "CI"];
		assert.deepEqual(others.filter(isHarmlessAssignment), []);
	});
});

describe("a program that is asked for its version", () => {
	const kind = (line: string) => {
		const judgement = assessVersionFlag(call(line));
		return judgement && (judgement.sandboxed ? "sandboxed" : "reads");
	};

	it("goes ahead where it reads nothing of the repository, and else in the read sandbox only", () => {
		for (const line of ["gcc --version", "node -v", "python3 -V", "git --version", "jq --version"]) assert.equal(kind(line), "reads", line);
		for (const line of ["npm -v", "cargo --version", "go version", "java -version", "eslint --version"])
			assert.equal(kind(line), "sandboxed", line);
	});

	it("is asked for nothing else", () => {
		const lines = [
			"gcc --version x.c",
			"gcc -v",
			"./gcc --version",
			"source --version",
			"time --version",
			"env --version",
			"npm version",
			"$X --version",
			"x -v",
		];
		assert.deepEqual(
			lines.filter((line) => kind(line) !== undefined),
			[],
		);
	});
});

describe("a version manager's shim", () => {
	it("is told from the program itself", () => {
		const shims = [
			{ path: "/home/a/.asdf/shims/node", real: "/home/a/.asdf/shims/node" },
			{ path: "/home/a/.local/share/mise/shims/jq", real: "/usr/bin/mise" },
			{ path: "/home/a/.cargo/bin/cargo", real: "/home/a/.cargo/bin/rustup" },
			{ path: "/home/a/.volta/bin/node", real: "/home/a/.volta/bin/volta-shim" },
			{ path: "/usr/local/bin/python3", real: "/home/a/.pyenv/shims/python3" },
		];
		assert.deepEqual(
			shims.filter((program) => !isShim(program)),
			[],
		);
		assert.equal(isShim({ path: "/usr/bin/node", real: "/usr/local/lib/node/bin/node" }), false);
		assert.equal(isShim({ path: "/home/a/.nvm/versions/node/v20/bin/node", real: "/home/a/.nvm/versions/node/v20/bin/node" }), false);
	});
});
