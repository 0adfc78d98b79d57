// Tests the approval of MCP servers before they start.
import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpLaunch, McpServerConfig, McpStartDecision } from "../../../src/core/ports/mcp.ts";
import { approvalKey, hashServer } from "../../../src/mcp/canonicalJson.ts";
import { createStartApproval } from "../../../src/mcp/host/startApproval.ts";
import { enabledMcpServers, parseMcpServers } from "../../../src/mcp/settings.ts";
import { createServerApprovals, type ServerApprovals } from "../../../src/storage/approvals/serverApprovals.ts";
import { launchDetails, launchLines, parseSignInHost } from "../../../src/vscode/mcp/launchSummary.ts";

const CANARY = "canary-7f3a9";
const docs: McpServerConfig = {
	id: "docs",
	name: "Docs",
	source: "settings",
	command: "npx",
	args: ["-y", "docs server", "a\nb", "tag\u{e0041}\u202e"],
	env: { TOKEN: `Bearer \${secret:docs} ${CANARY}`, PLAIN: CANARY },
};

let folder: string;
let approvals: ServerApprovals;
let servers: McpServerConfig[];
let asked: McpLaunch[];
let answers: (McpStartDecision | undefined)[];
let restricted: string | undefined;
let folders: string[];
let logged: string[];

const dialogs = {
	launchLines,
	// Where no dialogue can be shown the editor answers undefined.
	confirmStart: async (launch: McpLaunch) => {
		asked.push(launch);
		return answers.shift() as McpStartDecision;
	},
};
const start = (config: McpServerConfig = docs) => gate({ id: config.id, hash: hashServer(config) });
let gate: ReturnType<typeof createStartApproval>;

describe("before an MCP server starts", () => {
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "troupe-start-"));
		approvals = createServerApprovals(folder);
		[servers, asked, answers, logged, restricted, folders] = [[docs], [], [], [], undefined, []];
		gate = createStartApproval({
			servers: () => servers,
			approvals,
			restricted: () => restricted,
			dialogs,
			home: () => "/home/me/shop",
			folders: () => folders,
			log: (line) => logged.push(line),
		});
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	it("the person sees all of it, an argument a line and nothing hidden, and no value of a variable", async () => {
		answers = ["start"];
		assert.equal(await start(), true);
		assert.equal(
			launchDetails(asked[0] as McpLaunch),
			`This program runs with your permissions on this computer. It receives only the environment variables listed here and a few standard ones.

Program: npx
Arguments:
    -y
    "docs server"
    "a\\nb"
    "tag\\u{e0041}\\u{202e}"
Environment variables:
    PLAIN
    TOKEN

Folder: /home/me/shop

Secrets passed to the server: docs

Defined in: User Settings`,
		);
		assert.equal(await approvals.approvedHash("docs"), hashServer(docs));
		assert.ok(!JSON.stringify(await approvals.lastApprovedLines("docs")).includes(CANARY));
	});

	it("an address is shown with the names of its headers", () => {
		const far: McpServerConfig = {
			id: "far",
			name: "Far",
			source: "catalog",
			url: "https://mcp.example/mcp",
			headers: { Authorization: CANARY },
		};
		const text = launchDetails({ config: far, secretNames: [], defaultFolder: "/" });
		assert.match(text, /Address: https:\/\/mcp\.example\/mcp\nHeaders:\n {4}Authorization\n\nDefined in: Troupe Catalog$/);
		assert.ok(!text.includes(CANARY));
	});

	it("several turns that want it ask once", async () => {
		answers = ["start"];
		assert.deepEqual(await Promise.all([start(), start(), start()]), [true, true, true]);
		assert.equal(asked.length, 1);
	});

	it("“not now” asks again, “never” does not, and says nothing of another command line", async () => {
		answers = ["later", "never"];
		assert.deepEqual([await start(), await start(), await start()], [false, false, false]);
		assert.equal(asked.length, 2);
		const newer: McpServerConfig = { ...docs, args: ["-y", "docs@2"] };
		servers = [newer];
		answers = ["start"];
		assert.equal(await start(newer), true);
	});

	it("a change is shown as what is new and what is gone", async () => {
		answers = ["start", "later"];
		await start();
		const newer: McpServerConfig = { ...docs, args: ["-y", "docs server", "--all"], env: { TOKEN: "" }, cwd: "tools" };
		servers = [newer];
		assert.equal(await start(newer), false);
		const changes = launchDetails(asked[1] as McpLaunch)
			.split("Changed since you approved it:\n")[1]
			?.split("\n");
		assert.deepEqual(changes?.toSorted(), [
			"+ Arguments: --all",
			"+ Folder: tools",
			'− Arguments: "a\\nb"',
			'− Arguments: "tag\\u{e0041}\\u{202e}"',
			"− Environment variables: PLAIN",
		]);
	});

	it("the value of a variable or a header can change without a question, its name cannot", () => {
		const other = { ...docs, env: { TOKEN: "other", PLAIN: "" } } as McpServerConfig;
		const more = { ...docs, env: { ...docs.env, LD_PRELOAD: "x" } } as McpServerConfig;
		assert.deepEqual([hashServer(other) === hashServer(docs), hashServer(more) === hashServer(docs)], [true, false]);
	});

	it("nobody is asked in Restricted Mode, for what is not set up, or for something else than is set up", async () => {
		restricted = "This workspace is in Restricted Mode.";
		assert.equal(await start(), false);
		restricted = undefined;
		assert.equal(await start({ ...docs, args: ["other"] }), false);
		servers = [];
		assert.equal(await start(), false);
		assert.deepEqual(asked, []);
	});

	it("what was set up anew while the person looked does not start", async () => {
		gate = createStartApproval({
			servers: () => servers,
			approvals,
			restricted: () => undefined,
			dialogs: {
				launchLines,
				confirmStart: async () => {
					servers = [{ ...docs, args: ["other"] }];
					return "start";
				},
			},
			home: () => "/",
			folders: () => [],
			log: () => undefined,
		});
		assert.equal(await start(), false);
	});

	it("where no dialogue can be shown it does not start", async () => {
		answers = [undefined];
		assert.equal(await start(), false);
		assert.equal(await approvals.approvedHash("docs"), undefined);
	});

	it("an approval that cannot be kept is none", async () => {
		await rm(folder, { recursive: true });
		await writeFile(folder, "in the way");
		answers = ["start"];
		assert.equal(await start(), false);
		assert.match(logged.join(), /MCP server docs does not start: ./);
	});
});

describe("a server whose program depends on the workspace", () => {
	let work: string;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "troupe-start-"));
		work = await mkdtemp(join(tmpdir(), "troupe-work-"));
		approvals = createServerApprovals(folder);
		[asked, answers] = [[], []];
	});
	afterEach(() => Promise.all([folder, work].map((each) => rm(each, { recursive: true, force: true }))));

	/** As the settings say it, in a workspace of that folder. */
	async function startIn(place: string, server: object): Promise<boolean> {
		servers = enabledMcpServers(parseMcpServers({ docs: { command: "node", ...server } }), [], place).filter(({ id }) => id === "docs");
		const [config] = servers as [McpServerConfig];
		if ((await approvals.approvedHash(approvalKey(config))) === hashServer(config)) return true;
		gate = createStartApproval({
			servers: () => servers,
			approvals,
			restricted: () => undefined,
			dialogs,
			home: () => "/home/me/servers",
			folders: () => [place],
			log: () => undefined,
		});
		return start(config);
	}
	const WARNING = "This server runs files from this workspace. Anyone who can change those files controls what the server does.";

	for (const [what, server] of [
		["its folder", { cwd: "tools", args: ["server.js"] }],
		["an argument", { args: [`\${workspaceFolder}/server.js`] }],
	] as const) {
		it(`by ${what} is approved for the workspace that was shown, and asks in every other one`, async () => {
			answers = ["start", "later", "start"];
			assert.equal(await startIn("/shops/mine", server), true);
			assert.equal(await startIn("/shops/theirs", server), false, "another workspace");
			assert.equal(await startIn("/shops/theirs", server), true);
			assert.deepEqual([await startIn("/shops/mine", server), await startIn("/shops/theirs", server)], [true, true]);
			assert.equal(asked.length, 3);
			const [first, second] = asked.map(launchDetails);
			assert.match(first ?? "", "cwd" in server ? /Folder: \/shops\/mine\/tools\n/ : /Workspace folder: \/shops\/mine\n/);
			assert.ok(first?.includes(WARNING) && second?.includes("/shops/theirs"));
			await approvals.forget("docs");
			assert.deepEqual([await startIn("/shops/mine", server), await startIn("/shops/theirs", server)], [false, false]);
		});
	}

	it("says so wherever it leads into the workspace, also by a link, and nowhere else", async () => {
		const outside = join(folder, "link");
		await symlink(work, outside);
		for (const inside of [{ cwd: work }, { command: join(work, "server") }, { args: [join(work, "server.js")] }, { cwd: outside }]) {
			await startIn(work, inside);
			assert.ok(launchDetails(asked.at(-1) as McpLaunch).includes(WARNING), JSON.stringify(inside));
		}
		for (const elsewhere of [{}, { cwd: folder }, { command: "/usr/bin/node", args: [`${work}-other`] }]) {
			await startIn(work, elsewhere);
			assert.ok(!launchDetails(asked.at(-1) as McpLaunch).includes(WARNING), JSON.stringify(elsewhere));
		}
	});

	it("one of the catalog that is told where the workspace is, is approved once for all", () => {
		const filesystem = (place: string) =>
			enabledMcpServers(parseMcpServers({}), [], place).find(({ id }) => id === "filesystem") as McpServerConfig;
		assert.equal(hashServer(filesystem("/a")), hashServer(filesystem("/b")));
	});
});

describe("where a sign-in leads", () => {
	for (const [address, host] of [
		["https://auth.example/authorize?x=1", "auth.example"],
		["https://аpple.example/a", "xn--pple-43d.example"],
		["http://127.0.0.1:8080/a", "127.0.0.1:8080"],
		["http://[::1]:8080/a", "[::1]:8080"],
		["http://localhost/a", "localhost"],
		["http://auth.example/a", undefined],
		["http://127.0.0.1.evil.example/a", undefined],
		["https://user:pass@auth.example/", undefined],
		["https://good.example\\@evil.example/", undefined],
		["https://good.example/\u202ea", undefined],
		["file:///etc/passwd", undefined],
		["vscode://evil.ext/run", undefined],
		["javascript:alert(1)", undefined],
		["ms-msdt:/id", undefined],
		["not an address", undefined],
		["https://a.example/ $(touch x)", undefined],
	] as const) {
		it(`${address} is ${host === undefined ? "not opened" : `shown as ${host}`}`, () => assert.equal(parseSignInHost(address), host));
	}
});
