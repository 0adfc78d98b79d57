// Canary repositories: whatever a clone brings, a planner's session runs no program but our own git and ripgrep.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rgPath } from "@vscode/ripgrep";
import { type Hostile, hostile, hostileEnvironment } from "./canary/hostileWorkspace.ts";
import { repositories } from "./canary/repositories.ts";
import { plannersSession } from "./canary/session.ts";
import { canTrace, observed, programsOf } from "./canary/traced.ts";

describe("a planner's session in a hostile repository", function () {
	this.timeout(120_000);
	let place: Hostile;
	let putBack: () => void;
	beforeEach(() => {
		place = hostile();
		putBack = () => undefined;
	});
	afterEach(() => {
		putBack();
		place.close();
	});

	for (const [name, { lay, falls }] of Object.entries(repositories)) {
		it(`runs nothing of it: ${name}`, async () => {
			lay(place);
			putBack = hostileEnvironment(place);
			await observed(() => plannersSession(place));
			assert.deepEqual(place.ran(), []);
			if (!falls) return;
			// As a person would: else it proves nothing that nothing ran.
			const env = { PATH: `/usr/bin:/bin:${join(place.folder, "bin")}`, HOME: join(place.home, "person") };
			spawnSync("/usr/bin/git", falls, { cwd: place.folder, env, input: "", timeout: 5_000, killSignal: "SIGKILL" });
			assert.notDeepEqual(place.ran(), [], "no git falls for it");
		});
	}

	it("starts git and ripgrep and nothing else, as the system sees it", function () {
		if (!canTrace()) return this.skip();
		const titles = ["a file system monitor$", "a lazy fetch by a command", "a filter$", "a submodule with", "another work tree", "set up$"];
		const programs = programsOf(fileURLToPath(import.meta.url), `runs nothing of it: (${titles.join("|")})`, join(place.home, "trace"));
		const git = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
		assert.deepEqual([...programs].sort(), [git, rgPath].sort());
	}).timeout(400_000);
});
