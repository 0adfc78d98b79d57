// Helpers shared by the fake server's wire formats: text chunks, lenient JSON and token estimates.
import type { AskedRequest, ScriptedAnswer } from "./script.ts";

export function pieces(text: string, size: number): string[] {
	const out: string[] = [];
	for (let at = 0; at < text.length; at += size) out.push(text.slice(at, at + size));
	return out;
}

export function lenient(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return json;
	}
}

/** The tokens of a request, as the server counts them. */
export function tokensOf({ body }: Pick<AskedRequest, "body">): number {
	return Math.ceil(JSON.stringify(body).length / 4);
}

export function estimate(answer: ScriptedAnswer, request: AskedRequest): NonNullable<ScriptedAnswer["usage"]> {
	const said = (answer.text ?? "") + JSON.stringify(answer.calls ?? []);
	return { input: tokensOf(request), output: Math.ceil(said.length / 4) };
}
