// Mentions: what counts as one, what each brings along, and what stays behind in spite of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { formatPathMention, parseMentions } from "../../../src/chat/mentions/mention.ts";
import { type MentionContext, resolveMentions } from "../../../src/chat/mentions/resolveMentions.ts";
import type { Attachment } from "../../../src/core/events.ts";
import { createWebFetch } from "../../../src/tools/web/webFetch.ts";
import type { TestAppOptions } from "../../fakes/testApp.ts";
import { closeTestSessions, openTestSession } from "../session/testSession.ts";

const labels = (text: string) => parseMentions(text).map(({ label }) => label);

describe("a mention", () => {
	it("is a path with lines, a quoted one, a symbol, an address or a word of the editor's", () => {
		assert.deepEqual(
			parseMentions('See @src/cart.ts:10-20, @"a b.md":3 and (@src/money.ts#formatPrice). @problems! @https://example.com/a_(b).'),
			[
				{ kind: "path", label: "src/cart.ts:10-20", path: "src/cart.ts", lines: [10, 20] },
				{ kind: "path", label: "a b.md:3", path: "a b.md", lines: [3, 3] },
				{ kind: "path", label: "src/money.ts#formatPrice", path: "src/money.ts", symbol: "formatPrice" },
				{ kind: "problems", label: "problems" },
				{ kind: "url", label: "https://example.com/a_(b)", url: "https://example.com/a_(b)" },
			],
		);
		assert.deepEqual(parseMentions("@url https://example.com/x"), [
			{ kind: "url", label: "https://example.com/x", url: "https://example.com/x" },
		]);
	});

	it("is none within a word, in code, as a decorator's call, or alone", () => {
		assert.deepEqual(labels("me@example.com `@src/a.ts` @ @Input() x\n```ts\n@Component\nclass A {}\n```\nthen @b.ts"), ["b.ts"]);
	});

	it("counts once, and reads back as it was written", () => {
		assert.deepEqual(labels("@a.ts and @a.ts"), ["a.ts"]);
		for (const [path, rest] of [
			["src/a.ts", { lines: [3, 9] as [number, number] }],
			["a b/c.ts", { symbol: "run" }],
			["x y.md", {}],
		] as const) {
			const [read] = parseMentions(formatPathMention(path, rest));
			assert.deepEqual(
				read?.kind === "path" && { path: read.path, ...(read.lines && { lines: read.lines }), ...(read.symbol && { symbol: read.symbol }) },
				{ path, ...rest },
			);
		}
	});
});

describe("what a mention brings along", () => {
	afterEach(closeTestSessions);

	const FILES = {
		"src/cart.ts": Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n"),
		"src/deep/one/two/three.ts": "export {};\n",
		"a b.md": "# Blanks\n",
		".env": "TOKEN=canary-5150\n",
		"big.txt": `${"0123456789abcdef\n".repeat(4_000)}`,
		"odd#name.ts": "odd\n",
	};

	async function bring(text: string, options: Partial<TestAppOptions> & { says?: boolean; role?: string } = {}) {
		const { says = false, ...rest } = options;
		const setup = await openTestSession([], { files: FILES, ...rest });
		const asked: string[] = [];
		const bringing: MentionContext = {
			session: setup.session,
			signal: new AbortController().signal,
			confirm: async (question) => {
				asked.push(question);
				return says;
			},
			scale: async (_, bytes) => ({ blob: createHash("sha256").update(bytes).digest("hex"), size: bytes.length, mime: "image/png" }),
		};
		return { ...(await resolveMentions(text, bringing)), asked, setup, bringing };
	}

	const only = (attachments: Attachment[]): Attachment => {
		assert.equal(attachments.length, 1);
		return attachments[0] as Attachment;
	};

	it("is a file's lines, and the file counts as read: no role narrows it", async () => {
		const { attachments, notes, setup } = await bring("@src/cart.ts:10-12", {
			roles: [{ id: "mute", label: "Mute", permissions: [], prompt: "" }],
			role: "mute",
		});
		assert.deepEqual(only(attachments), {
			kind: "file",
			label: "src/cart.ts:10-12",
			path: "src/cart.ts",
			lines: [10, 12],
			text: "src/cart.ts\n10\tline 10\n11\tline 11\n12\tline 12\n[lines 10-12 of 40; go on with start=13]",
		});
		assert.deepEqual(notes, []);
		assert.ok(setup.session.files.get(join(setup.app.folder, "src/cart.ts")));
	});

	it("is a path with blanks, and one whose name looks like a symbol", async () => {
		const { attachments } = await bring('@"a b.md" @odd#name.ts');
		assert.deepEqual(
			attachments.map(({ kind, path }) => [kind, path]),
			[
				["file", "a b.md"],
				["file", "odd#name.ts"],
			],
		);
	});

	it("is a symbol's lines", async () => {
		const setup = await bring("nothing");
		const path = join(setup.setup.app.folder, "src/cart.ts");
		setup.setup.app.services.window.workspace.symbols = async () => [{ name: "total", kind: "Function", path, line: 5, end: 7 }];
		const { attachments, notes } = await resolveMentions("@src/cart.ts#total @src/cart.ts#gone", setup.bringing);
		assert.deepEqual(
			[only(attachments).kind, only(attachments).lines, only(attachments).text.split("\n")[1]],
			["symbol", [5, 7], "5\tline 5"],
		);
		assert.match(notes.join(), /@src\/cart\.ts#gone wasn't included/);
	});

	it("is a folder's tree to a depth, without protected files", async () => {
		const { attachments } = await bring("@src and @./");
		assert.equal(attachments[0]?.text, "src\n  deep/\n    one/\n      two/ (1 file)\n  cart.ts");
		assert.doesNotMatch(attachments[1]?.text ?? "", /\.env/);
		assert.match(attachments[1]?.text ?? "", /protected files? not shown/);
	});

	it("is nothing of a protected place unless the person says so for that file", async () => {
		const refused = await bring("@.env");
		assert.equal(refused.asked.length, 1);
		assert.match(refused.asked[0] ?? "", /\.env/);
		assert.deepEqual(refused.attachments, []);
		assert.match(refused.notes.join(), /@\.env wasn't included: the location is protected/);
		const allowed = await bring("@.env", { says: true });
		assert.match(only(allowed.attachments).text, /canary-5150/);
	});

	it("asks about a link by where it leads, and about what lies outside", async () => {
		const { bringing, setup, asked } = await bring("nothing");
		symlinkSync(join(setup.app.folder, ".env"), join(setup.app.folder, "harmless.txt"));
		writeFileSync(join(setup.app.storage, "outside.txt"), "outside");
		const { attachments } = await resolveMentions(`@harmless.txt @${join(setup.app.storage, "outside.txt")}`, bringing);
		assert.equal(asked.length, 2);
		assert.deepEqual(attachments, []);
	});

	it("keeps to the person's own rules", async () => {
		const { attachments, notes, asked } = await bring("@src/cart.ts", {
			settings: { rules: { deny: ["read_file(src/**)"], ask: [], allow: [] } },
		});
		assert.deepEqual([attachments, asked], [[], []]);
		assert.match(notes.join(), /Denied by your rule/);
	});

	it("is at most 32 KB each and 256 KB in all, and says what was left out", async () => {
		const { attachments } = await bring("@big.txt");
		assert.ok(Buffer.byteLength(only(attachments).text) <= 32_768);
		assert.match(only(attachments).text, /of 4,?000|left out/);
		const files = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}.txt`, FILES["big.txt"]]));
		const many = await bring(
			Object.keys(files)
				.map((name) => `@${name}`)
				.join(" "),
			{ files },
		);
		const size = many.attachments.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
		assert.ok(size <= 262_144 && size > 200_000, String(size));
		assert.match(many.notes.join("\n"), /@f11\.txt wasn't included: the message has reached its limit of 256 KB/);
	});

	it("is said when it is not found or no text, and the rest still comes", async () => {
		const { bringing, setup } = await bring("nothing");
		writeFileSync(join(setup.app.folder, "data.bin"), Buffer.from([1, 2, 0, 3, 4]));
		const { attachments, notes } = await resolveMentions('@nowhere.ts @data.bin @selection @terminal @changes @"a b.md"', bringing);
		assert.equal(only(attachments).path, "a b.md");
		assert.match(notes.join("\n"), /@data\.bin wasn't included\. data\.bin is a binary file/);
		assert.match(notes.join("\n"), /No match for @nowhere\.ts\. Sent as plain text\./);
		for (const word of ["selection", "terminal", "changes"]) assert.match(notes.join("\n"), new RegExp(`@${word} wasn't included`));
	});

	it("is the selection, problems without those of protected files, and what terminals showed", async () => {
		const { bringing, setup } = await bring("nothing", { facts: { terminal: () => "$ npm test\n1 failing" } });
		const {
			facts,
			window: { workspace },
		} = setup.app.services;
		facts.selection = () => ({ path: join(setup.app.folder, "src/cart.ts"), lines: [2, 3], text: "line 2\nline 3" });
		const problem = (name: string, message: string) => ({
			path: join(setup.app.folder, name),
			line: 1,
			severity: "error" as const,
			message,
		});
		workspace.diagnostics = async () => [problem(".env", "canary-5150 is odd"), problem("src/cart.ts", "Unknown name")];
		const { attachments, notes } = await resolveMentions("@selection @problems @terminal", bringing);
		assert.deepEqual(notes, []);
		assert.deepEqual(attachments, [
			{ kind: "selection", label: "selection", path: "src/cart.ts", lines: [2, 3], text: "src/cart.ts, lines 2 to 3\nline 2\nline 3" },
			{ kind: "problems", label: "problems", text: "src/cart.ts:1: error: Unknown name" },
			{ kind: "terminal", label: "terminal", text: "$ npm test\n1 failing" },
		]);
	});

	it("is no selection in a protected file without the person's word", async () => {
		const { bringing, setup, asked } = await bring("nothing");
		setup.app.services.facts.selection = () => ({ path: join(setup.app.folder, ".env"), lines: [1, 1], text: "TOKEN=canary-5150" });
		assert.deepEqual((await resolveMentions("@selection", bringing)).attachments, []);
		assert.equal(asked.length, 1);
	});

	it("is git's changes, staged and not, without protected files and without running what the repository names", async () => {
		const { bringing, setup } = await bring("nothing");
		const { folder } = setup.app;
		const git = (...words: string[]) =>
			execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...words], { cwd: folder });
		git("init", "-q");
		git("add", "-A", "-f");
		git("commit", "-qm", "first");
		writeFileSync(join(folder, "a b.md"), "# Staged\n");
		git("add", "a b.md");
		writeFileSync(
			join(folder, ".git/config"),
			`[filter "bad"]\n\tclean = touch ${join(folder, "ran")}; cat\n[diff "bad"]\n\tcommand = touch ${join(folder, "ran")}\n`,
			{ flag: "a" },
		);
		writeFileSync(join(folder, ".gitattributes"), "*.ts filter=bad diff=bad\n");
		writeFileSync(join(folder, "src/cart.ts"), "changed\n");
		writeFileSync(join(folder, ".env"), "TOKEN=canary-6161\n");
		writeFileSync(join(folder, "new.txt"), "new\n");
		const { attachments, notes } = await resolveMentions("@changes", bringing);
		const { text } = only(attachments);
		assert.deepEqual(notes, []);
		assert.match(text, /\+changed/);
		assert.match(text, /\+# Staged/);
		assert.match(text, /new\.txt/);
		assert.match(text, /\[1 protected files not shown\]/);
		assert.doesNotMatch(text, /canary/);
		assert.throws(() => execFileSync("test", ["-e", join(folder, "ran")]));
	});

	it("is a public page, never a private address", async () => {
		const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/plain" }).end("Hello from a page"));
		await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/page`;
		try {
			const refused = await bring(`@${url}`);
			assert.deepEqual(refused.attachments, []);
			assert.match(refused.notes.join(), /is not on the public internet/);
			const tools = refused.setup.app.services.tools.filter(({ name }) => name !== "web_fetch");
			const reach = { resolve: async () => [], allows: () => true };
			Object.assign(refused.setup.app.services, { tools: [...tools, createWebFetch({ reach })] });
			const { attachments } = await resolveMentions(`@${url}`, refused.bringing);
			assert.equal(only(attachments).path, url);
			assert.match(only(attachments).text, /Hello from a page/);
		} finally {
			server.close();
		}
	});

	it("is a page within its origin, and nobody is asked about a redirect that leads out of it", async () => {
		const server = createServer((request, response) => {
			const to = { "/moved": "/page", "/away": `http://localhost:${(server.address() as AddressInfo).port}/page` }[request.url ?? ""];
			if (to) return void response.writeHead(302, { location: to }).end();
			response.writeHead(200, { "content-type": "text/plain" }).end("Hello from a page");
		});
		await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
		const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		try {
			const { bringing, setup, asked } = await bring("nothing", { says: true });
			const { services, policy } = setup.app;
			const reach = { resolve: async () => [], allows: () => true };
			Object.assign(services, { tools: [...services.tools.filter(({ name }) => name !== "web_fetch"), createWebFetch({ reach })] });
			const { attachments, notes } = await resolveMentions(`@${origin}/moved @${origin}/away`, bringing);
			assert.match(only(attachments).text, /Hello from a page/);
			assert.equal(only(attachments).path, `${origin}/moved`);
			assert.match(notes.join(), /redirects to http:\/\/localhost/);
			assert.deepEqual(asked, []);
			const plain = policy.settings();
			Object.assign(policy, { settings: () => ({ ...plain, pluginsOff: ["web", "files"] }) });
			const off = await resolveMentions(`@${origin}/moved @src/cart.ts`, bringing);
			assert.equal(only(off.attachments).path, "src/cart.ts");
			assert.match(off.notes.join(), /fetching pages is turned off/);
		} finally {
			server.close();
		}
	});

	it("asks once about the lines of a protected file, and hides secrets that are known", async () => {
		const { asked, attachments } = await bring("@.env:1-1", { says: true });
		assert.equal(asked.length, 1);
		assert.match(only(attachments).text, /canary-5150/);
		const { bringing, setup } = await bring("nothing");
		setup.app.services.hidden = async () => ["0123456789abcdef"];
		assert.doesNotMatch(only((await resolveMentions("@big.txt", bringing)).attachments).text, /0123456789abcdef/);
	});

	it("is a picture where it is one by its bytes", async () => {
		const { bringing, setup } = await bring("nothing");
		mkdirSync(join(setup.app.folder, "media"));
		writeFileSync(join(setup.app.folder, "media/shot.png"), Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1"));
		writeFileSync(join(setup.app.folder, "media/fake.png"), "plain words");
		const { images, attachments } = await resolveMentions("@media/shot.png @media/fake.png", bringing);
		assert.equal(images.length, 1);
		assert.equal(only(attachments).path, "media/fake.png");
	});
});
