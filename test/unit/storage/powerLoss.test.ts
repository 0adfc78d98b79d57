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
import { CREATED, cleanUp, newFolder, openStore, summary, userEvent } from "./support.ts";

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
