// Plugins from a shell, with real bash, a real socket and the real gate between them.
import assert from "node:assert/strict";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { closeTestSessions } from "../session/testSession.ts";
import { command, shell, shellAgent, uses } from "./testShell.ts";

afterEach(closeTestSessions);

describe("a plugin from a shell", () => {
	it("is used by its program, unasked, and what was used is written down", async () => {
		const { session, box, cli, outputs, types, model } = await shell([
			"$CLI put --title first --content 'One thing'",
			"$CLI list --limit 3 --tags a --tags=b --no-deep",
		]);
		await session.send("Go");
		assert.deepEqual(outputs(), [
			{ status: "ok", output: "exit code: 0\nkept first" },
			{ status: "ok", output: "exit code: 0\nfirst" },
		]);
		assert.deepEqual(box.calls, [
			{ title: "first", content: "One thing" },
			{ limit: 3, tags: ["a", "b"], deep: false },
		]);
		assert.ok(!types().includes("asked"));
		assert.deepEqual(uses(session), ["box_put ok", "box_list ok"]);
		const offered = model.requests[0]?.tools.map(({ name }) => name) ?? [];
		assert.ok(offered.includes("execute_command") && offered.includes("read_file"));
		assert.ok(!offered.some((name) => name.startsWith("box_") || name === "web_fetch"));
		assert.ok(model.requests[0]?.system.includes(cli));
	});

	it("takes texts from standard input and all fields as JSON", async () => {
		const { session, box } = await shell([
			"printf 'a\\nb' | $CLI put --title t --content -",
			`$CLI put --json '{"title":"j","content":"{x}","extra":{"n":[1]}}'`,
		]);
		await session.send("Go");
		assert.deepEqual(box.calls, [
			{ title: "t", content: "a\nb" },
			{ title: "j", content: "{x}", extra: { n: [1] } },
		]);
	});

	it("says by its exit code what went wrong", async () => {
		const { session, outputs, box } = await shell([
			"$CLI put --title only",
			"$CLI put --title a --content b --evil c",
			"$CLI nothing",
			"$CLI list --limit many",
			"$CLI list --limit 1.5",
			"$CLI --help",
		]);
		await session.send("Go");
		const codes = outputs().map(({ output }) => /exit code: (\d)/.exec(output)?.[1]);
		assert.deepEqual(codes, ["2", "2", "2", "2", "1", "0"]);
		assert.match(outputs()[5]?.output ?? "", /put --title … --content …/);
		assert.deepEqual(box.calls, []);
	});

	it("takes arguments as they are: no shell, no path and no name in them means anything", async () => {
		const { session, box } = await shell([
			"$CLI put --title '../../../../etc/passwd' --content '$(touch /tmp/pwned); `id`'",
			`$CLI put --json '{"title":"__proto__","content":"x","__proto__":{"a":1}}'`,
			"$CLI put --title=--json --content=--help",
		]);
		await session.send("Go");
		assert.deepEqual(box.calls, [
			{ title: "../../../../etc/passwd", content: "$(touch /tmp/pwned); `id`" },
			{ title: "__proto__", content: "x" },
			{ title: "--json", content: "--help" },
		]);
	});

	it("is not for a role that may run no commands, and its program stays out of that prompt", async () => {
		const { session, outputs, model, box, app } = await shell(["$CLI list"], { role: "planner" });
		await session.send("Go");
		assert.equal(outputs()[0]?.status, "denied");
		assert.ok(!(model.requests[0]?.system ?? "").includes("box-cli"));
		assert.deepEqual(app.skills.cliBridge.known(session.sessionId), []);
		assert.deepEqual(box.calls, []);
	});

	it("goes by the role that the turn began with, whichever is chosen meanwhile", async () => {
		const { session, box, app } = await shell([command("$CLI wait")], { role: "tester" });
		const reached = async () => {
			const agent = app.policy.agents().find(({ agentId }) => agentId === "sheller");
			const found = await app.skills.cliBridge.cliSkills(session, agent as AgentDefinition);
			return found.find(({ id }) => id === "box")?.text.includes("send");
		};
		const turn = session.send("Go");
		await box.waits;
		await session.setRole("actor");
		assert.equal(await reached(), false, "a tester has no network");
		box.letGo();
		await turn;
		assert.equal(await reached(), true);
	});

	it("stays within the agent's lists", async () => {
		const agents = [shellAgent({ capabilityDenylist: ["box.write"], toolDenylist: ["box_send"] })];
		const { session, outputs, box } = await shell(["$CLI list", "$CLI put --title a --content b"], { agents });
		await session.send("Go");
		assert.match(outputs()[0]?.output ?? "", /exit code: 0/);
		assert.match(outputs()[1]?.output ?? "", /no operation put/);
		assert.deepEqual(box.calls, [{}]);
	});

	it("asks the person in the middle of a command, and a denial is the program's answer", async () => {
		const { session, answer, outputs, box, event } = await shell(["$CLI send --to moon", "$CLI send --to mars"]);
		const going = session.send("Go");
		const asked = await event("asked");
		assert.equal(asked.summary, "Send the box to moon");
		assert.equal(asked.call, [...session.state.calls.keys()][0]);
		assert.deepEqual(asked.made, { name: "box_send", input: { to: "moon" } });
		await answer({ allow: false, reason: "Too far." });
		await answer({ allow: true });
		await going;
		assert.match(outputs()[0]?.output ?? "", /exit code: 3\nThe person denied this call\. They say: “Too far\.?”/);
		assert.match(outputs()[1]?.output ?? "", /exit code: 0\nsent/);
		assert.deepEqual(box.calls, [{ to: "mars" }]);
		assert.deepEqual(uses(session), ["box_send denied", "box_send ok"]);
		const said = session.state.events.flatMap((event) => (event.type === "status" && event.used ? [event.text] : []));
		assert.deepEqual(said, ["From a shell (denied): Send the box to moon", "From a shell: Send the box to mars"]);
	});

	it("asks nobody about more than they could read", async () => {
		const long = `head -c 70000 /dev/zero | tr '\\0' x | $CLI send --to -`;
		const { session, answer, outputs, box, types } = await shell([long]);
		const going = session.send("Go");
		await answer({ allow: true });
		await going;
		assert.match(outputs()[0]?.output ?? "", /exit code: 1\nThe arguments are longer than a person can be shown/);
		assert.deepEqual([box.calls, types().filter((type) => type === "asked").length], [[], 1]);
	});
});

describe("a call by name of what is used from a shell", () => {
	it("is denied and told the program", async () => {
		const { session, outputs, cli, box } = await shell([
			{ name: "box_list", input: {} },
			{ name: "web_fetch", input: { url: "https://example.org" } },
		]);
		await session.send("Go");
		assert.deepEqual(
			outputs().map(({ status }) => status),
			["denied", "denied"],
		);
		assert.ok(outputs()[0]?.output.includes(cli));
		assert.match(outputs()[1]?.output ?? "", /does not use the plugin web/);
		assert.deepEqual(box.calls, []);
	});

	it("goes ahead where the exposure is mixed and no skill of the plugin is allowed", async () => {
		const agents = [shellAgent({ toolExposure: "mixed", skillAllowlist: ["notes"] })];
		const { session, outputs, model } = await shell(
			[
				{ name: "box_list", input: {} },
				{ name: "notes_list", input: {} },
			],
			{ agents },
		);
		await session.send("Go");
		assert.deepEqual(
			outputs().map(({ status }) => status),
			["ok", "denied"],
		);
		const offered = model.requests[0]?.tools.map(({ name }) => name) ?? [];
		assert.ok(offered.includes("box_list") && offered.includes("web_fetch") && !offered.includes("notes_list"));
	});
});
