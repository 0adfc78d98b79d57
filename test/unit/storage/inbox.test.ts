// Messages for a session of another window: none lost, none in the way of the next.
import assert from "node:assert/strict";
import { existsSync, watch } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type InboxMessage, StorageError } from "../../../src/core/ports/sessions.ts";
import type { DiskSessionStore } from "../../../src/storage/sessions/sessionStore.ts";
import { cleanUp, failingFiles, folderOf, newFolder, openStore, summary, userEvent } from "./support.ts";

const AT = "2025-03-04T05:06:07.000Z";
const HASH = "ab".repeat(32);

function message(id: string, rest: Partial<InboxMessage> = {}): InboxMessage {
	return { id, at: AT, message: { text: `text of ${id}` }, from: { kind: "agent", agentId: "writer" }, ...rest };
}

const code = (expected: string) => (error: unknown) => error instanceof StorageError && error.code === expected;

describe("an inbox", () => {
	cleanUp();

	async function oneSession(options: Parameters<typeof openStore>[1] = {}) {
		const root = await newFolder();
		const store = openStore(root, options);
		await store.create(summary("one"));
		return { root, store, inbox: join(folderOf(root, "one"), "inbox") };
	}

	async function ids(store: DiskSessionStore, sessionId = "one"): Promise<string[]> {
		return (await store.inbox(sessionId)).map(({ id }) => id);
	}

	it("gives messages of several windows back whole and in the order of arrival, whatever their clocks say", async () => {
		const { root, store } = await oneSession({ now: () => new Date(AT) });
		const behind = openStore(root, { now: () => new Date("2024-01-01T00:00:00.000Z") });
		const full = message("0b9fd2f0-6f0e-4a8c-9d3b-0123456789ab", {
			message: {
				text: "Look\n\u{1f469}‍\u{1f680}",
				images: [{ blob: HASH, size: 3, mime: "image/png" }],
				attachments: [{ kind: "file", label: "src/cart.ts", text: "1", path: "src/cart.ts", lines: [1, 2] }],
			},
			about: { call: "c1", nested: { deep: [1, null] } },
		});
		await store.post("one", full);
		const names = ["z", "y", "Z", "m/../n", "x".repeat(200)];
		for (const [place, id] of names.entries()) await (place % 2 === 0 ? behind : store).post("one", message(id));
		assert.deepEqual(await ids(openStore(root)), [full.id, ...names]);
		assert.deepEqual((await store.inbox("one"))[0], full);
	});

	it("loses none of many that are posted at the same instant by several windows", async () => {
		const { root } = await oneSession();
		const windows = [openStore(root), openStore(root), openStore(root)];
		const posted = Array.from({ length: 30 }, (_, place) => `m${place}`);
		await Promise.all(posted.map((id, place) => windows[place % 3]?.post("one", message(id))));
		assert.deepEqual((await ids(openStore(root))).sort(), [...posted].sort());
	});

	it("loses one message when that is taken, and nothing when it is taken again", async () => {
		const { store, inbox } = await oneSession();
		for (const id of ["a", "b", "A"]) await store.post("one", message(id));
		await store.takeFromInbox("one", "a");
		await store.takeFromInbox("one", "a");
		assert.deepEqual(await ids(store), ["b", "A"]);
		assert.equal((await readdir(inbox)).length, 2);
		await store.takeFromInbox("none", "a");
	});

	it("keeps one copy of a message that is posted again while it waits", async () => {
		const { store } = await oneSession();
		for (const _ of [1, 2]) await store.post("one", message("a"));
		assert.deepEqual(await ids(store), ["a"]);
	});

	it("takes 100 messages, and the next when one has been taken", async () => {
		const { store } = await oneSession();
		for (let count = 0; count < 100; count++) await store.post("one", message(`m${count}`));
		await assert.rejects(store.post("one", message("late")), code("INBOX_FULL"));
		await store.takeFromInbox("one", "m7");
		await store.post("one", message("late"));
		assert.equal((await ids(store)).at(-1), "late");
	}).timeout(15_000);

	it("takes a message of just under 64 KB whole, and refuses a larger one", async () => {
		const { store } = await oneSession();
		const text = "ü".repeat(32_600);
		await store.post("one", message("large", { message: { text } }));
		assert.equal((await store.inbox("one"))[0]?.message.text, text);
		await assert.rejects(store.post("one", message("larger", { message: { text: `${text}${text}` } })), code("E2BIG"));
		assert.deepEqual(await ids(store), ["large"]);
	});

	it("does not exist for a session that does not, and brings none back", async () => {
		const { root, store, inbox } = await oneSession();
		await store.delete("one");
		for (const id of ["one", "never"]) {
			await assert.rejects(store.post(id, message("a")), code("ENOENT"));
			assert.deepEqual(await store.inbox(id), []);
		}
		await mkdir(folderOf(root, "one"));
		await assert.rejects(openStore(root).post("one", message("a")), code("ENOENT"));
		assert.equal(existsSync(inbox), false);
		await assert.rejects(store.post("../one", message("a")), code("EINVAL"));
	});

	it("goes with the history or the session, and stays when the transcript is archived", async () => {
		const { root, store, inbox } = await oneSession();
		await store.append("one", userEvent(1));
		await store.post("one", message("a"));
		await store.archive("one");
		assert.deepEqual(await ids(store), ["a"]);
		await store.clear("one");
		assert.deepEqual([await ids(store), existsSync(inbox)], [[], false]);
		await store.post("one", message("b"));
		assert.deepEqual(await ids(store), ["b"]);
		await store.delete("one");
		assert.deepEqual(await readdir(join(root, "sessions")), []);
	});

	it("sets aside what is no message, logs how many, and gives the rest", async () => {
		const lines: string[] = [];
		const { store, inbox, root } = await oneSession({ log: (line) => lines.push(line) });
		await store.post("one", message("a"));
		const [name = ""] = await readdir(inbox);
		const time = name.slice(0, 15);
		const outside = join(await newFolder(), "outside");
		await writeFile(outside, "{}");
		const valid = message("c") as unknown as Record<string, unknown>;
		const bad: Record<string, string> = {
			"note.json": JSON.stringify(valid),
			[`${time}-aa.json`]: JSON.stringify(valid),
			[`${time}-ab.json`]: "{",
			[`${time}-ac.json`]: "null",
			[`${time}-ad.json`]: " ".repeat(70_000),
		};
		for (const [file, text] of Object.entries(bad)) await writeFile(join(inbox, file), text);
		const broken: unknown[] = [
			{ ...valid, at: "yesterday" },
			{ ...valid, from: "writer" },
			{ ...valid, from: [] },
			{ ...valid, about: null },
			{ ...valid, message: "text" },
			{ ...valid, message: { text: 1 } },
			{ ...valid, message: { text: "", images: [{ blob: "../../etc", size: 1 }] } },
			{ ...valid, message: { text: "", attachments: [{ kind: "constructor", label: "", text: "" }] } },
			{ ...valid, message: { text: "", attachments: {} } },
		];
		await store.post("one", message("c"));
		const own = (await readdir(inbox)).find((file) => /-x-[0-9a-f]{32}/.test(file) && file !== name) ?? "";
		for (const [place, value] of broken.entries()) {
			await writeFile(join(inbox, own.replace(/^\d{15}/, String(place).padStart(15, "0"))), JSON.stringify(value));
		}
		await symlink(outside, join(inbox, `${time}-ae.json`));
		await mkdir(join(inbox, `${time}-af.json`));
		await store.post("one", message("b"));
		assert.deepEqual(await ids(store), ["a", "c", "b"]);
		const aside = (await readdir(inbox)).filter((file) => file.endsWith(".corrupt"));
		const expected = Object.keys(bad).length + broken.length + 2;
		assert.equal(aside.length, expected);
		assert.deepEqual(
			lines.filter((line) => line.includes("not valid")).map((line) => line.split(": ").at(-1)),
			[String(expected)],
		);
		assert.deepEqual([await ids(openStore(root)), await readFile(outside, "utf8")], [["a", "c", "b"], "{}"]);
	});

	it("drops unknown fields, and has room for a message after one that claims the end of time", async () => {
		const { store, inbox } = await oneSession();
		await store.post("one", { ...message("a"), extra: 1, message: { text: "A", more: true } } as InboxMessage);
		const [name = ""] = await readdir(inbox);
		await writeFile(join(inbox, name.replace(/^\d{15}/, "9".repeat(15))), await readFile(join(inbox, name)));
		await store.post("one", message("b"));
		assert.deepEqual((await store.inbox("one")).map(({ message: { text } }) => text).sort(), ["A", "A", "text of b"]);
		assert.deepEqual(Object.keys((await store.inbox("one"))[0] ?? {}).sort(), ["at", "from", "id", "message"]);
	});

	it("keeps nothing of a message that the disk refuses, and says so", async () => {
		const failing = failingFiles("rename", (path) => path.includes("inbox"));
		const { store, inbox } = await oneSession({ files: failing.files });
		failing.code = "ENOSPC";
		await assert.rejects(store.post("one", message("a")), (error) => code("ENOSPC")(error) && /disk is full/.test(String(error)));
		failing.code = undefined;
		assert.deepEqual([await readdir(inbox), await ids(store)], [[], []]);
		await store.post("one", message("a"));
		assert.deepEqual(await ids(store), ["a"]);
	});

	it("is rid of the temporary files of processes that died", async () => {
		const { root, store, inbox } = await oneSession();
		await store.post("one", message("a"));
		const left = [join(inbox, ".000-a.json.4194399-aabbcc.tmp"), join(folderOf(root, "one"), "inbox.lock")];
		for (const path of left) await writeFile(path, "half");
		await utimes(left[1] ?? "", 1, 1);
		assert.deepEqual(await ids(store), ["a"]);
		await openStore(root).recover();
		assert.deepEqual([left.filter(existsSync), await ids(store)], [[], ["a"]]);
	});

	it("keeps the images of its messages when the session that sent them is deleted", async () => {
		const { root, store } = await oneSession({ blobGracePeriod: 0 });
		await store.create(summary("sender"));
		const [image, other] = ["cd".repeat(32), "ef".repeat(32)];
		await mkdir(join(root, "blobs"));
		for (const blob of [image, other]) await writeFile(join(root, "blobs", blob), blob);
		const images = [{ blob: image, size: 64 }];
		await store.append("sender", { ...userEvent(1), type: "user", text: "See", images: [...images, { blob: other, size: 64 }] });
		await store.post("one", message("a", { message: { text: "See", images } }));
		await store.delete("sender");
		assert.deepEqual(await readdir(join(root, "blobs")), [image]);
		await store.clear("one");
		assert.deepEqual(await readdir(join(root, "blobs")), []);
	});

	describe("tells the owner", () => {
		/** Arrivals in order; `next` waits for one that has not been waited for. */
		function arrivals(store: DiskSessionStore) {
			const heard: string[] = [];
			let wake = () => {};
			let taken = 0;
			store.onInbox((sessionId) => {
				heard.push(sessionId);
				wake();
			});
			return {
				heard,
				async next(): Promise<string> {
					while (heard.length <= taken) {
						await new Promise<void>((resolve) => {
							wake = resolve;
						});
					}
					return heard[taken++] ?? "";
				},
			};
		}

		it("when a message arrives, the first and the next, and after the history was cleared", async () => {
			const { root, store } = await oneSession();
			const { heard, next } = arrivals(store);
			await store.own("one");
			const other = openStore(root);
			for (const id of ["a", "b"]) {
				await other.post("one", message(id));
				assert.equal(await next(), "one");
				await store.takeFromInbox("one", id);
			}
			await store.clear("one");
			await other.post("one", message("c"));
			assert.equal(await next(), "one");
			assert.deepEqual([heard.length, await ids(store)], [3, ["c"]]);
		}).timeout(10_000);

		it("of messages that waited when it takes the session or begins to listen", async () => {
			const { root, store } = await oneSession();
			await openStore(root).post("one", message("a"));
			await store.own("one");
			const { next } = arrivals(store);
			assert.equal(await next(), "one");
			await store.release("one");
			await store.own("one");
			assert.equal(await next(), "one");
		});

		it("also after the session could not be deleted", async () => {
			const failing = failingFiles("rename", (path) => path.includes(".removed-"));
			const { root, store } = await oneSession({ files: failing.files });
			const { next } = arrivals(store);
			await store.own("one");
			failing.code = "EACCES";
			await assert.rejects(store.delete("one"), code("EACCES"));
			await openStore(root).post("one", message("a"));
			assert.equal(await next(), "one");
		}).timeout(10_000);

		it("and no one else", async () => {
			const { root, store } = await oneSession();
			const stranger = openStore(root);
			const { heard } = arrivals(stranger);
			await stranger.create(summary("two"));
			await stranger.own("two");
			await store.own("one");
			const owner = arrivals(store);
			await store.post("one", message("a"));
			await owner.next();
			await stranger.post("two", message("b"));
			await stranger.release("two");
			await stranger.post("two", message("c"));
			await store.post("one", message("d"));
			await owner.next();
			assert.equal(heard.includes("one"), false);
		}).timeout(10_000);

		it("within a heartbeat where the file system reports nothing", async () => {
			const { root, store, inbox } = await oneSession();
			const { heard, next } = arrivals(store);
			const other = openStore(root);
			await other.post("one", message("a"));
			await store.own("one");
			await next();
			// A folder that is moved away and made again has no watcher.
			const gone = new Promise((resolve) => watch(folderOf(root, "one"), { persistent: false }, resolve));
			await rm(inbox, { recursive: true });
			await gone;
			await other.post("one", message("b"));
			// The heartbeat does not keep a process alive; waiting for it here does.
			const alive = setInterval(() => undefined, 1_000);
			await next();
			clearInterval(alive);
			assert.equal(heard.length, 2);
		}).timeout(10_000);
	});
});
