// Rules that deny a program see it in text that another program would run.
import assert from "node:assert/strict";
import { command, makeWorld, type World } from "./world.ts";

describe("a rule against a program", () => {
	let world: World;
	before(async () => {
		world = await makeWorld({ "ws/a.ts": "1\n" });
	});
	after(() => world.dispose());
	const denied = async (line: string) =>
		(await command(world, line, { mode: "auto", rules: { deny: ["execute_command(rm *)"], ask: [], allow: [] } })).decision === "deny";

	for (const line of [
		"vim -c '!rm x'",
		"vim '+!rm x'",
		"tar cf x y '--checkpoint-action=exec=rm x'",
		"foo --run=rm x",
		`python3 -c 'import os; os.system("rm x")'`,
		`python3 -c 'import subprocess; subprocess.run(["rm", "x"])'`,
		`node -e 'require("child_process").execSync("rm x")'`,
		`perl -e 'system("rm x")'`,
		"git bisect run rm x",
		"git submodule foreach 'rm x'",
	])
		it(`denies ${line}`, async () => assert.equal(await denied(line), true));

	for (const line of [
		"git rm a.ts",
		"grep rm a.ts",
		"git log --grep=rm",
		"node rm.js",
		"python manage.py rm",
		"echo 'rm x'",
		"npm run rm",
		"git add rm",
	])
		it(`says nothing of ${line}`, async () => assert.equal(await denied(line), false));
});
