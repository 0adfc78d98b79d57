// The last line: what the session has used, and how it asks. Each part explains itself on hover.
import { command } from "../host.ts";
import { surroundings, transcript } from "../state.ts";

const MODES: Record<string, string> = {
	ask: "Every change and command asks.",
	plan: "Under a running plan, creating and updating files goes ahead; the rest asks.",
	edits: "Creating and updating files goes ahead; the rest asks.",
	auto: "What the role permits goes ahead; deleting, installers and network commands still ask.",
};

export function Footer() {
	const around = surroundings.value;
	const { input, output, cached } = transcript.value.folded.usage;
	const total = input + output;
	const detail = `${count(input)} tokens read (${count(cached)} from the cache), ${count(output)} written in this session`;
	return (
		<div class="footer">
			<span title={detail}>{total > 0 && `${count(total)} tokens`}</span>
			{around && (
				<button
					type="button"
					class="link quiet"
					title={`${MODES[around.approval] ?? ""} Open settings`}
					onClick={() => command("openSettings")}
				>
					approval: {around.approval}
				</button>
			)}
		</div>
	);
}

/** 950, 4.1k, 1.2M. */
function count(tokens: number): string {
	return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(tokens).replace("K", "k");
}
