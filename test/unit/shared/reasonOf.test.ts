// Tests which reason of a failure a person, a model, and the log get.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ModelError } from "../../../src/core/ports/model.ts";
import { ToolError } from "../../../src/core/ports/tool.ts";
import { UserError } from "../../../src/core/userError.ts";
import { hasReason, modelReasonOf, reasonOf } from "../../../src/shared/reasonOf.ts";

const UNKNOWN = "Something went wrong. The log has details.";
const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

/** Not even root may write to it. */
const SYSTEM_FILE = "/sys/kernel/notes";

/** The error that an act really fails with. */
async function errorOf(act: () => unknown): Promise<Error> {
	try {
		await act();
	} catch (error) {
		assert.ok(error instanceof Error);
		return error;
	}
	throw new Error("It did not fail.");
}

/** As Node does. */
const nodeError = (message: string, facts: object) => Object.assign(new Error(message), facts);

/** A port of this computer on which nothing listens. */
async function closedPort(): Promise<number> {
	const server = createSocketServer().listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

describe("the reason of a failure", () => {
	let folder: string;
	let file: string;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "troupe-reason-"));
		file = join(folder, "note.md");
		await writeFile(file, "text");
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const tell = (error: unknown) => {
		const logged: string[] = [];
		return { told: reasonOf(error, (line) => logged.push(line)), logged };
	};

	const disk: readonly (readonly [name: string, act: () => Promise<unknown>, sentence: () => string, possible?: boolean])[] = [
		["a missing file", () => readFile(join(folder, "gone")), () => `${join(folder, "gone")} doesn't exist.`],
		["an existing folder", () => mkdir(folder), () => `${folder} already exists.`],
		["a folder in place of a file", () => writeFile(folder, "text"), () => `${folder} is a folder, not a file.`],
		["a file in a path", () => readFile(join(file, "x")), () => `A part of the path ${join(file, "x")} is a file, not a folder.`],
		["a folder with files", () => rmdir(folder), () => `The folder ${folder} isn't empty.`],
		[
			"a long name",
			() => writeFile(join(folder, "n".repeat(300)), ""),
			() => `The file name is too long: ${join(folder, "n".repeat(300))}`,
		],
		[
			"links that form a loop",
			async () => {
				await symlink("b", join(folder, "a"));
				await symlink("a", join(folder, "b"));
				await readFile(join(folder, "a"));
			},
			() => `The symbolic links of ${join(folder, "a")} form a loop.`,
		],
		[
			"a read-only file",
			async () => {
				await chmod(file, 0o400);
				await writeFile(file, "other");
			},
			() => `The operating system denied access to ${file}.`,
			!isRoot,
		],
		[
			"a folder that may not be read",
			async () => {
				await mkdir(join(folder, "closed"), { mode: 0 });
				await readdir(join(folder, "closed"));
			},
			() => `The operating system denied access to ${join(folder, "closed")}.`,
			!isRoot,
		],
		[
			"a file of the system",
			() => writeFile(SYSTEM_FILE, "x"),
			() => `The operating system denied access to ${SYSTEM_FILE}.`,
			existsSync(SYSTEM_FILE),
		],
		["a full disk", () => writeFile("/dev/full", "text"), () => "The disk is full.", existsSync("/dev/full")],
		["a missing program", () => run(join(folder, "tool")), () => `The program ${join(folder, "tool")} wasn't found.`],
		["a program that may not run", () => run(file), () => `The operating system doesn't allow ${file} to run.`],
	];
	for (const [name, act, sentence, possible = process.platform !== "win32"] of disk) {
		(possible ? it : it.skip)(`is a sentence for ${name}`, async () => {
			const { told, logged } = tell(await errorOf(act));
			assert.equal(told, sentence());
			assert.equal(logged.length, 1);
			assert.doesNotMatch(told, /\bE[A-Z]{3,}/);
		});
	}

	it("is the server's for a connection that is refused, also in the cause of a failed fetch", async () => {
		const port = await closedPort();
		const sentence = `127.0.0.1:${port} refused the connection.`;
		const socket = () => new Promise((_, reject) => connect(port, "127.0.0.1").once("error", reject));
		assert.equal(tell(await errorOf(socket)).told, sentence);
		const fetched = await errorOf(() => fetch(`http://127.0.0.1:${port}/`));
		assert.ok(fetched instanceof TypeError);
		assert.equal(tell(fetched).told, sentence);
		assert.match(tell(fetched).logged.join(), /fetch failed[\s\S]*Cause: [\s\S]*ECONNREFUSED/);
	});

	it("is said for a server that hangs up or doesn't answer in time", async () => {
		const server = createServer((request) => (request.url === "/late" ? undefined : request.socket.destroy())).listen(0, "127.0.0.1");
		await new Promise((resolve) => server.once("listening", resolve));
		const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		try {
			assert.equal(tell(await errorOf(() => fetch(`${address}/`))).told, "The connection was closed unexpectedly.");
			const late = await errorOf(() => fetch(`${address}/late`, { signal: AbortSignal.timeout(20) }));
			assert.equal(tell(late).told, "The operation took too long.");
			const stopped = await errorOf(() => fetch(`${address}/late`, { signal: AbortSignal.abort() }));
			assert.equal(tell(stopped).told, "The operation was canceled.");
		} finally {
			server.closeAllConnections();
			server.close();
		}
	});

	const others: readonly (readonly [error: Error, sentence: string])[] = [
		[
			nodeError("getaddrinfo ENOTFOUND api.example", { code: "ENOTFOUND", syscall: "getaddrinfo", hostname: "api.example" }),
			"The server api.example wasn't found.",
		],
		[
			nodeError("getaddrinfo EAI_AGAIN api.example", { code: "EAI_AGAIN", syscall: "getaddrinfo", hostname: "api.example" }),
			"The address of api.example couldn't be looked up. Check the network connection.",
		],
		[
			Object.assign(new AggregateError([nodeError("", { code: "ECONNREFUSED", address: "::1", port: 80 })]), { code: "ECONNREFUSED" }),
			"[::1]:80 refused the connection.",
		],
		[nodeError("certificate has expired", { code: "CERT_HAS_EXPIRED" }), "The server's certificate has expired."],
		[nodeError("self-signed", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }), "The server's certificate isn't trusted."],
		[nodeError("unable", { code: "UNABLE_TO_GET_ISSUER_CERT_LOCALLY" }), "The server's certificate isn't trusted."],
		[nodeError("Parse Error", { code: "HPE_INVALID_CONSTANT" }), "The server's response couldn't be read."],
		[nodeError("EROFS: read-only", { code: "EROFS", path: "/mnt/x" }), "/mnt/x is on a read-only disk."],
		[nodeError("EDQUOT", { code: "EDQUOT" }), "Your disk quota is used up."],
		[nodeError("EMFILE", { code: "EMFILE", path: "/tmp/x" }), "Too many files are open."],
		[nodeError("EIO", { code: "EIO", path: "/tmp/x" }), "The disk reported an error."],
		[nodeError("EBUSY", { code: "EBUSY", path: "/tmp/x" }), "Another program is using /tmp/x."],
		[
			nodeError("Unable to read file", { code: "FileNotFound", name: "EntryNotFound (FileSystemError)" }),
			"The file or folder doesn't exist.",
		],
		[nodeError("no", { code: "NoPermissions" }), "The operating system denied access."],
		[nodeError("gone", { code: "Unavailable" }), "The file system isn't available."],
		[nodeError("Canceled", { name: "Canceled" }), "The operation was canceled."],
		[nodeError("Unable to write into user settings.", { name: "CodeExpectedError" }), "Unable to write into user settings."],
	];
	for (const [error, sentence] of others) {
		it(`is “${sentence}” for ${(error as { code?: string }).code ?? error.name}`, () => assert.equal(tell(error).told, sentence));
	}

	it("is the error's own sentence if that is for people, which is logged only with its cause", () => {
		for (const error of [
			new UserError("The agent is gone."),
			new ModelError("auth", "The server rejected the key."),
			new ToolError("There is no x.ts."),
		]) {
			assert.deepEqual(tell(error), { told: error.message, logged: [] });
			assert.equal(modelReasonOf(error, undefined), error.message);
		}
		const caused = tell(new UserError("The answer couldn't be saved.", { cause: new RangeError("out of it") }));
		assert.equal(caused.told, "The answer couldn't be saved.");
		assert.match(caused.logged.join(), /RangeError: out of it\n +at /);
	});

	it("is never the text of a bug, which the log has with its stack", async () => {
		const thrown = await errorOf(() => (undefined as unknown as { session: string }).session);
		const bugs = [
			thrown,
			await errorOf(() => JSON.parse("{")),
			await errorOf(() => "x".repeat(-1)),
			new Error("a plain sentence"),
			"a string",
			null,
		];
		for (const bug of bugs) {
			assert.equal(hasReason(bug), false);
			const { told, logged } = tell(bug);
			assert.equal(told, UNKNOWN);
			assert.equal(logged.length, 1);
			const forModel: string[] = [];
			assert.equal(
				modelReasonOf(bug, (line) => forModel.push(line)),
				"Something failed in Troupe itself. Its log says more.",
			);
			assert.deepEqual(forModel, logged);
		}
		assert.match(tell(thrown).logged.join(), /TypeError: Cannot read properties of undefined[\s\S]*reasonOf\.test\.ts/);
	});

	it("keeps Node's own words for a model", async () => {
		const error = await errorOf(() => open(join(folder, "gone")));
		assert.match(modelReasonOf(error, undefined), /^ENOENT: no such file or directory/);
		assert.match(
			modelReasonOf(await errorOf(async () => fetch(`http://127.0.0.1:${await closedPort()}/`)), undefined),
			/^connect ECONNREFUSED/,
		);
	});
});
