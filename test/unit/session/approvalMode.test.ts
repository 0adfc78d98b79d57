// The approval mode of a session: who chooses it, how far it goes, and what keeps it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { effectiveApprovalMode } from "../../../src/core/grant.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import { createApprovalModeEvent } from "../../../src/session/state/sessionApprovals.ts";
import { closeTestSessions, EDIT, FILES, openTestSession, results } from "./testSession.ts";

const EDITS = { calls: [EDIT] };

describe("the approval mode of a session", () => {
	afterEach(closeTestSessions);

	it("decides what asks in that session, above and below the default", async () => {
		const more = await openTestSession([EDITS, { text: "Done." }], { files: FILES, role: "actor", settings: { approval: "ask" } });
		await more.session.setApproval("edits");
		await more.session.send("Change it");
		assert.deepEqual(
			results(more.session).map(({ status }) => status),
			["ok"],
		);
		assert.ok(!more.types().includes("asked"));
		const less = await openTestSession([EDITS, { text: "Done." }], { files: FILES, role: "actor", settings: { approval: "auto" } });
		await less.session.setApproval("ask");
		const turn = less.session.send("Change it");
		await less.answer({ allow: false });
		await turn;
		assert.deepEqual(
			results(less.session).map(({ status }) => status),
			["denied"],
		);
	});

	it("goes no higher than the ceiling, whenever that came", async () => {
		const { session, answer } = await openTestSession([EDITS, { text: "Done." }], {
			files: FILES,
			role: "actor",
			settings: { approval: "ask", approvalCeiling: "plan" },
		});
		await session.setApproval("auto");
		const turn = session.send("Change it");
		await answer({ allow: false });
		await turn;
		assert.deepEqual(
			results(session).map(({ status }) => status),
			["denied"],
		);
		assert.equal(effectiveApprovalMode({}, { approval: "auto", approvalCeiling: "edits" }), "edits", "the default is held as well");
	});

	it("is there after a reload, a summary and going back; the default can have the session again", async () => {
		const home = mkdtempSync(join(tmpdir(), "troupe-home-"));
		try {
			const script = () => ({ text: "A summary." });
			const first = await openTestSession(script, { home });
			await first.session.setApproval("edits");
			await first.session.send("Hello");
			await first.session.compact();
			assert.equal(first.session.state.approval, "edits");
			await first.app.sessions.close();
			const { session } = await openTestSession(script, { home });
			assert.equal(session.state.approval, "edits");
			const said = session.state.events[0];
			await session.eventLog.emit({ type: "rewound", to: said?.id ?? "" }, "person");
			assert.equal(session.state.approval, "edits");
			await session.setApproval("default");
			assert.equal(session.state.approval, undefined);
		} finally {
			await closeTestSessions();
			rmSync(home, { recursive: true, force: true });
		}
	});

	it("is chosen by a person alone, and what nobody knows asks for everything", () => {
		const chosen = (by: string, approval: string) =>
			applyEvent(createTranscript(), {
				...createApprovalModeEvent("auto"),
				id: "e1",
				seq: 1,
				at: "2026-03-02T14:07:00Z",
				by,
				approval,
			} as TranscriptEvent).approval;
		for (const by of ["model", "api", "host", "agent:other", "channel:import"]) assert.equal(chosen(by, "auto"), undefined, by);
		assert.equal(chosen("person", "auto"), "auto");
		assert.equal(chosen("person", "anything"), "ask");
	});
});
