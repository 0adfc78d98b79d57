// Sessions as they may come to be: turns, plans, approvals, changes, going back, and lines that nobody can read.
import type { EventBody, FileChange, TranscriptEvent } from "../../../src/core/events.ts";

type Random = (below: number) => number;

/** Gives the lines of one session, a part at a time. */
export function randomSession(random: Random): { lines(count: number): string } {
	const said: { id: string; seq: number; type: string }[] = [];
	const open = { calls: [] as string[], requests: [] as string[], questions: [] as string[] };
	const plans: { planId: string; version: number }[] = [];
	let [seq, turn, names] = [0, 0, 0];
	let running = false;
	const name = (kind: string) => {
		names += 1;
		return `${kind}${names}`;
	};
	const text = (most: number) => "word ".repeat(random(most));
	const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)];

	function change(): FileChange {
		const path = `src/file${random(6)}.ts`;
		const blob = () => random(4).toString().repeat(64);
		const action = pick(["update", "create", "delete", "rename"] as const) ?? "update";
		return {
			path,
			action,
			diff: text(40),
			added: random(9),
			removed: random(9),
			after: action === "delete" ? "" : blob(),
			...(action !== "create" && { before: { blob: blob(), size: 1 } }),
			...(action === "rename" && { from: `src/file${random(6)}.ts` }),
			...(random(4) === 0 && { deviation: "not in the step" }),
		};
	}

	const kinds: [weight: number, make: () => EventBody | undefined][] = [
		[
			3,
			() => ({
				type: "user",
				text: `${text(20)}?`,
				...(random(3) === 0 && open.questions.length > 0 && { answers: open.questions.pop() ?? "" }),
			}),
		],
		[2, begin],
		[2, () => end()],
		[8, call],
		[8, result],
		[
			1,
			() => ({
				type: "assistant",
				text: text(60),
				usage: { input: random(900), output: random(90), ...(random(2) === 0 && { cost: 0.25 }) },
			}),
		],
		[1, plan],
		[1, () => ({ type: "step", step_number: 1 + random(3), status: pick(["running", "done", "failed"] as const) ?? "done" })],
		[1, role],
		[1, () => ({ type: "agent", agent: `agent${random(3)}` })],
		[1, question],
		[2, asked],
		[2, answered],
		[
			1,
			() => ({
				type: "status",
				level: "warning",
				text: text(9),
				...(random(2) === 0 && { changes: [change()] }),
				...(random(3) === 0 && { reviewed: [{ path: `src/file${random(6)}.ts` }] }),
			}),
		],
		[1, trimmed],
		[1, rewound],
	];

	function begin(): EventBody {
		running = true;
		turn += 1;
		return { type: "started", agent: "a", definitionHash: "h", role: pick(["actor", "planner"]) ?? "actor", model: "m" };
	}

	function end(): EventBody | undefined {
		if (!running) return undefined;
		running = false;
		return { type: "ended", outcome: pick(["done", "waiting", "cancelled", "interrupted"] as const) ?? "done" };
	}

	function call(): EventBody {
		const calls = Array.from({ length: 1 + random(2) }, () => ({ id: name("call"), name: "update_file", input: { path: text(3) } }));
		open.calls.push(...calls.map(({ id }) => id));
		return { type: "assistant", text: text(30), calls };
	}

	function result(): EventBody | undefined {
		const id = open.calls.shift();
		if (id === undefined) return undefined;
		const changed = random(2) === 0;
		return { type: "result", call: id, status: "ok", output: text(90), ...(changed && { view: { kind: "change", changes: [change()] } }) };
	}

	function plan(): EventBody {
		const last = plans.at(-1);
		const next = last && random(2) === 0 ? { planId: last.planId, version: last.version + 1 } : { planId: name("plan"), version: 1 };
		plans.push(next);
		const steps = [1, 2, 3].map((step_number) => ({ step_number, action: text(5) }));
		return { type: "plan", plan: { goal: text(9), steps }, ...next, hash: "h", basis: { files: [] } };
	}

	function role(): EventBody {
		const ref = random(2) === 0 ? pick(plans.slice(-3)) : undefined;
		return { type: "role", role: pick(["actor", "planner", "reviewer"]) ?? "actor", ...(ref && { plan: { ...ref, hash: "h" } }) };
	}

	function question(): EventBody {
		const request = name("question");
		open.questions.push(request);
		return { type: "question", request, question: { question: text(9), allow_custom: true } };
	}

	function asked(): EventBody | undefined {
		const id = pick(open.calls);
		if (id === undefined) return undefined;
		const request = name("request");
		open.requests.push(request);
		return { type: "asked", request, call: id, summary: text(5), hash: "h", reason: "r" };
	}

	function answered(): EventBody | undefined {
		const request = random(2) === 0 ? open.requests.shift() : open.questions.shift();
		if (request === undefined) return undefined;
		return random(3) === 0 ? { type: "expired", request } : { type: "answered", request, answer: { allow: random(2) === 0 } };
	}

	function trimmed(): EventBody | undefined {
		const to = pick(said.filter(({ type }) => type === "result").slice(-60));
		return to && { type: "status", level: "info", text: "room was made", trimmed: to.id };
	}

	/** Mostly not far, now and then to the beginning, as older versions wrote it or as it is written now. */
	function rewound(): EventBody | undefined {
		const to = pick(random(6) === 0 ? said : said.slice(-40));
		if (!to) return undefined;
		return { type: "rewound", to: to.id, ...(random(3) > 0 && { toSeq: to.seq, messages: random(50) }) };
	}

	function next(): TranscriptEvent {
		for (;;) {
			const make = pick(kinds.flatMap(([weight, make]) => Array.from({ length: weight }, () => make)));
			const inTurn = running;
			const body = make?.();
			if (!body) continue;
			seq += 1;
			const event = {
				id: name("event"),
				seq,
				at: new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString(),
				by: "person",
				...((inTurn || body.type === "started") && { turn: `turn${turn}` }),
				...body,
			} as TranscriptEvent;
			said.push({ id: event.id, seq, type: event.type });
			return event;
		}
	}

	return {
		lines(count) {
			let lines = "";
			for (let index = 0; index < count; index += 1) {
				const line = `${JSON.stringify(next())}\n`;
				lines += line;
				if (random(40) === 0) lines += line;
				if (random(30) === 0) lines += '{"id":"torn","se\n';
				if (random(60) === 0) lines += "\n";
			}
			return lines;
		},
	};
}
