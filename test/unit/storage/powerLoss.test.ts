// Tests power loss: events acknowledged as durable survive.

// `npm run faults:power` cuts the power 300 times; POWER_CUTS sets the number.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import type { GrantRecord } from "../../../src/core/grant.ts";
import { createContentApprovals } from "../../../src/storage/approvals/contentApprovals.ts";
import { createGrantLists } from "../../../src/storage/approvals/grantLists.ts";
import { createGrantStore } from "../../../src/storage/approvals/grantStore.ts";
import { createServerApprovals } from "../../../src/storage/approvals/serverApprovals.ts";
import type { StorageFileSystem } from "../../../src/storage/fileSystem.ts";
import { randomFrom } from "../models/helpers.ts";
import { losingDisk } from "./powerLoss.ts";
import { CREATED, cleanUp, newFolder, openStore, summary, taskRecord, taskSummary, userEvent } from "./support.ts";

const CUTS = Number(process.env["POWER_CUTS"] ?? 12);

describe("a session on a disk that loses power", () => {
	cleanUp();

	it("has every event that was acknowledged as durable, in order, and takes the next one", async () => {
		for (let seed = 1; seed <= CUTS; seed += 1) {
			const below = randomFrom(seed);
			const root = await newFolder();
			const disk = losingDisk();
			const store = openStore(root, { files: disk.files });
			await store.create(summary("one"));
			const durable: string[] = [];
			const count = 1 + below(12);
			for (let seq = 1; seq <= count; seq += 1) {
				const event = below(3) === 0 ? said(seq) : userEvent(seq, "x".repeat(below(200_000)));
				await store.append("one", event);
				if (event.type === "user") durable.push(event.id);
				if (below(9) === 0 && seq < count) {
					await store.archive("one", () => [userEvent(1, "begins anew", `anew${seq}`)]);
					durable.splice(0, durable.length, `anew${seq}`);
				}
			}
			const after = join(await newFolder(), "after");
			await disk.cut(root, after, below);
			const restarted = openStore(after);
			const { events } = await restarted.read("one");
			const ids = events.map(({ id }) => id);
			assert.deepEqual(
				ids.filter((id) => durable.includes(id)),
				durable,
				`seed ${seed}`,
			);
			const text = events.find((event) => event.type === "user" && event.id === durable.at(-1));
			assert.ok(text?.type !== "user" || !text.text.includes("The rest is missing"), `seed ${seed}: a blob is lost`);
			assert.ok(await restarted.identity("one"), `seed ${seed}: who it is is lost`);
			await restarted.append("one", userEvent(99, "goes on"));
			assert.equal((await restarted.read("one")).events.at(-1)?.id, "e99");
		}
	});

	it("knows every task that was not over, and none that was acknowledged as over", async () => {
		for (let seed = 1; seed <= CUTS; seed += 1) {
			const below = randomFrom(seed);
			const root = await newFolder();
			const disk = losingDisk();
			const store = openStore(root, { files: disk.files });
			const ids = ["one", "two", "three"].slice(0, 1 + below(3));
			const states = new Map<string, "queued" | "running" | "done">();
			for (const id of ids) {
				await store.create(taskSummary(id, taskRecord("queued")));
				states.set(id, "queued");
				for (const state of ["running", "done", "running"] as const) {
					if (below(2) === 0) continue;
					await store.update(id, { task: taskRecord(state) });
					states.set(id, state);
				}
			}
			const after = join(await newFolder(), "after");
			await disk.cut(root, after, below);
			const restarted = openStore(after);
			const pending = (await restarted.pendingTasks()).map(({ sessionId, task }) => [sessionId, task?.state]);
			assert.deepEqual(pending.sort(), [...states].filter(([, state]) => state !== "done").sort(), `seed ${seed}`);
		}
	});

	it("has every message that was sent to it and not taken, in order", async () => {
		for (let seed = 1; seed <= CUTS; seed += 1) {
			const below = randomFrom(seed);
			const root = await newFolder();
			const disk = losingDisk();
			const store = openStore(root, { files: disk.files });
			await store.create(summary("one"));
			const waiting: string[] = [];
			for (let count = 1 + below(6); count > 0; count -= 1) {
				const id = `m${count}`;
				await store.post("one", { id, at: CREATED, from: {}, message: { text: "x".repeat(below(60_000)) } });
				waiting.push(id);
				if (below(4) === 0) await store.takeFromInbox("one", waiting.shift() ?? "");
			}
			const after = join(await newFolder(), "after");
			await disk.cut(root, after, below);
			const ids = (await openStore(after).inbox("one")).map(({ id }) => id);
			assert.deepEqual(
				ids.filter((id) => waiting.includes(id)),
				waiting,
				`seed ${seed}`,
			);
		}
	});
});

/** Of a kind whose loss changes nothing. */
function said(seq: number): TranscriptEvent {
	return { id: `s${seq}`, seq, at: CREATED, by: "model", type: "assistant", text: "words" };
}

describe("approvals on a disk that loses power", () => {
	cleanUp();

	it("are there once they were kept, and do not come back once they were taken back", async () => {
		for (let seed = 1; seed <= CUTS; seed += 1) {
			const below = randomFrom(seed);
			const root = await newFolder();
			const disk = losingDisk();
			const kept = { tools: new Set<string>(), listed: new Set<string>(), servers: new Set<string>(), skills: new Set<string>() };
			const open = (folder: string, files?: StorageFileSystem) => ({
				grants: createGrantStore(folder, { ...(files && { files }) }),
				lists: createGrantLists(join(folder, "agents"), files),
				servers: createServerApprovals(folder, { ...(files && { files }) }),
				skills: createContentApprovals(folder, "skills.json", { ...(files && { files }) }),
			});
			const before = open(join(root, "global"), disk.files);
			for (let count = 1 + below(12); count > 0; count -= 1) {
				const name = `tool${below(4)}`;
				const [given, what] = [below(3) > 0, below(4)];
				if (what === 0)
					await before.grants.change("x", (all) => [...all.filter(({ tool }) => tool !== name), ...(given ? [grant(name)] : [])]);
				if (what === 1)
					await before.lists.change({ kind: "preferences" }, (all) => [...all.filter((one) => one !== name), ...(given ? [name] : [])]);
				if (what === 2) await (given ? before.servers.approve(name, "hash", []) : before.servers.forget(name));
				if (what === 3) await before.skills.set("shop", name, given ? "hash" : undefined);
				const set = [kept.tools, kept.listed, kept.servers, kept.skills][what] as Set<string>;
				if (given) set.add(name);
				else set.delete(name);
			}
			const after = join(await newFolder(), "after");
			await disk.cut(root, after, below);
			const { grants, lists, servers, skills } = open(join(after, "global"));
			const names = ["tool0", "tool1", "tool2", "tool3"];
			const approved = await Promise.all(names.map(async (name) => ((await servers.approvedHash(name)) === undefined ? [] : [name])));
			const found = {
				tools: (await grants.read()).grants.map(({ tool }) => tool).sort(),
				listed: [...(await lists.read({ kind: "preferences" }))].sort(),
				servers: approved.flat(),
				skills: [...(await skills.list("shop")).keys()].sort(),
			};
			assert.deepEqual(found, Object.fromEntries(Object.entries(kept).map(([what, set]) => [what, [...set].sort()])), `seed ${seed}`);
		}
	});
});

function grant(tool: string): GrantRecord {
	return { agent: "default", tool, class: tool, workspace: "shop", at: CREATED };
}
