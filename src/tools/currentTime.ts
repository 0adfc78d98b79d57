// The current_time tool: tells the date and time in a time zone.
import * as z from "zod";
import { defineTool, ToolError } from "../core/ports/tool.ts";
import { summaryAndDone } from "../shared/toolWords.ts";

const TimeSchema = z.object({
	timezone: z.string().min(1).max(100).optional().describe("IANA name, such as Europe/Lisbon; the person's if absent"),
});

/** `now`: the clock. */
export function createCurrentTime(now: () => Date = () => new Date()) {
	return defineTool<z.infer<typeof TimeSchema>>({
		name: "current_time",
		plugin: "time",
		description: "The current date and time.",
		permissions: [],
		capabilities: ["time.read"],
		input: TimeSchema,
		parallel: true,
		suits: (_, { output }) => output === "reply",
		...summaryAndDone("current_time"),
		async run({ timezone }) {
			return { output: formatTime(now(), timezone) };
		},
	});
}

/** "Thursday, 15 January 2026, 09:25:07 (Europe/Lisbon, GMT)". */
function formatTime(at: Date, timezone?: string): string {
	const { timeZone } = formatter({ ...(timezone !== undefined && { timeZone: timezone }) }, timezone).resolvedOptions();
	const date = formatter({ timeZone, weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(at);
	const time = formatter({ timeZone, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(at);
	const offset = formatter({ timeZone, timeZoneName: "longOffset" })
		.formatToParts(at)
		.find(({ type }) => type === "timeZoneName")?.value;
	return `${date}, ${time} (${timeZone}, ${offset ?? "UTC"})`;
}

function formatter(options: Intl.DateTimeFormatOptions, asked?: string): Intl.DateTimeFormat {
	try {
		return new Intl.DateTimeFormat("en-GB", options);
	} catch {
		throw new ToolError(
			`There is no time zone ${JSON.stringify(asked?.slice(0, 100))}. Use an IANA name, such as Europe/Lisbon or Asia/Shanghai, or none for the person's own.`,
		);
	}
}
