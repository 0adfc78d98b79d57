// Tests extremely long lines and paths: denials still hold, and decisions stay fast.
import assert from "node:assert/strict";
import { command, makeWorld, rules, type World } from "./world.ts";

describe("a line that is too long to be told apart", () => {
	let world: World;
	before(async () => {
		world = await makeWorld({ "ws/victim": "x\n" });
	});
	after(() => world.dispose());

	const denied = { mode: "auto", rules: rules({ deny: ["execute_command(rm *)", "execute_command(git push *)"] }) } as const;

	it("is denied by a rule about a program wherever in it that stands, between two pieces, too", async () => {
		for (const before of [0, 19_996, 19_998, 19_999, 20_000, 20_001, 39_999, 500_000]) {
			const text = `${"x ".repeat(before / 2)}${before % 2 === 0 ? "" : " "}rm victim ${"y ".repeat(15_000)}`;
			assert.equal((await command(world, text, denied)).decision, "deny", `${before} before`);
		}
	});

	it("is denied however the program is written, and asks where none of them is in it", async () => {
		const rest = ` ${"y ".repeat(20_000)}`;
		for (const text of ["r''m victim", "/bin/rm victim", "RM victim", 'bash -c "rm victim"', "x; git  push"]) {
			assert.equal((await command(world, text + rest, denied)).decision, "deny", text);
		}
		for (const text of ["ls", "rmdir x", "alarm"]) assert.equal((await command(world, text + rest, denied)).decision, "ask", text);
	});

	it("is denied by a pattern of many programs, too", async () => {
		const asking = { mode: "auto", rules: rules({ deny: ["execute_command(r* *)"] }) } as const;
		assert.equal((await command(world, `x rm ${"y ".repeat(20_000)}`, asking)).decision, "deny");
		assert.equal((await command(world, `x ls ${"y ".repeat(20_000)}`, asking)).decision, "ask");
	});

	it("is read whole up to 4,000 characters, however busy the computer is", async () => {
		const read = performance.now;
		// As if the computer did something else for 50 ms at each look at the clock.
		performance.now = () => read.call(performance) + 50 * Math.ceil(read.call(performance));
		try {
			const found = await command(world, `echo ${"a ".repeat(1_900)}`);
			assert.equal(found.decision, "allow", found.reason);
		} finally {
			performance.now = read;
		}
	});

	it("is decided in a moment once it was read, whatever the rules are", async () => {
		const words = Array.from({ length: 120_000 }, (_, index) => `w${index}`).join(" ");
		const fact = await world.gate.command(words);
		const lists = { deny: Array.from({ length: 50 }, (_, index) => `execute_command(deny${index}* *)`) };
		const began = process.cpuUsage();
		await command(world, "ls", { command: fact, rules: rules(lists) });
		const { user } = process.cpuUsage(began);
		assert.ok(user < 250_000, `${user} µs`);
	});
});

describe("a path of thousands of parts", () => {
	it("is judged in a moment, and by the last of them", async () => {
		const world = await makeWorld({ "ws/victim": "x\n", "ws/.env": "x\n" });
		const deep = "src/../".repeat(500);
		assert.equal((await command(world, `cat ${deep}.env`, { mode: "auto" })).decision, "ask");
		assert.equal((await command(world, `cat ${"a/".repeat(1_900)}x`, { mode: "auto" })).decision, "allow");
		assert.equal((await command(world, `cat ${"a/".repeat(1_900)}.env`, { mode: "auto" })).decision, "ask");
		await world.dispose();
	});
});
