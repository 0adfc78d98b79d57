// Records entries in an audit log, in a process that tests race with others.
import { createAuditLog } from "../../../src/storage/auditLog.ts";

interface Orders {
	folder: string;
	/** The agent that calls. */
	name: string;
	count: number;
	fileBytes: number;
}

const { folder, name, count, fileBytes } = JSON.parse(process.argv[2] as string) as Orders;
const audit = createAuditLog({ folder, fileBytes, log: (line) => process.stderr.write(`${line}\n`) });
for (let index = 0; index < count; index += 1) {
	await audit.record({
		at: new Date(index).toISOString(),
		kind: "call",
		caller: { session: name, agent: name, call: String(index) },
		target: { agent: "other" },
		summary: "x".repeat(100),
		decision: "allowed",
	});
}
await audit.close();
