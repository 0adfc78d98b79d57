// Renders the context window's usage by part, and the session's cost.
import type { UsageTotals } from "../../../src/core/events.ts";
import { formatNumber, formatPercent, t } from "../../../src/shared/l10n.ts";
import type { ContextParts, ContextUsage } from "../../../src/shared/protocol/chat.ts";
import { formatCost, formatTokens } from "../../text/amounts.ts";
import { TooltipButton } from "./TooltipButton.tsx";

/** Parts of the context window, in the order of the bar. */
const PARTS: readonly { part: keyof ContextParts; name(): string }[] = [
	{ part: "system", name: () => t("System prompt") },
	{ part: "tools", name: () => t("Tools") },
	{ part: "messages", name: () => t("Your messages") },
	{ part: "answers", name: () => t("Answers") },
	{ part: "outputs", name: () => t("Tool output") },
	{ part: "attachments", name: () => t("Attachments") },
	{ part: "images", name: () => t("Images") },
];

export function ContextMeter({ use }: { use: ContextUsage }) {
	const { used, window, parts, basis } = use;
	const share = window === undefined ? undefined : Math.min(1, used / window);
	const face =
		share === undefined
			? t("{0} tokens in context", formatTokens(used))
			: t("{0} of {1} tokens", percent(share), formatTokens(window ?? used));
	return (
		<TooltipButton
			label={t("Context: {0}", face)}
			class={share !== undefined && share > NEARLY_FULL ? "meter full" : "meter"}
			face={
				<>
					{share !== undefined && <Ring share={share} />}
					<span class={share === undefined ? "" : "wide"}>{face}</span>
					{share !== undefined && <span class="small">{percent(share)}</span>}
				</>
			}
		>
			<strong>
				{window === undefined
					? t("Context: {0} tokens", formatCount(used))
					: t("Context: {0} of {1} tokens", formatCount(used), formatCount(window))}
			</strong>
			<span class="tip-note">{BASIS_NOTES[basis]()}</span>
			{window !== undefined && <Bar parts={parts} window={Math.max(window, used)} />}
			<span class="tip-rows">
				{PARTS.filter(({ part }) => parts[part] > 0).map(({ part, name }) => (
					<Row key={part} swatch={part} name={name()} value={formatCount(parts[part])} />
				))}
				{window !== undefined && <Row swatch="free" name={t("Free")} value={formatCount(Math.max(0, window - used))} />}
			</span>
			<span class="tip-note">
				{window === undefined
					? t("This model's context size is unknown. The conversation is compacted only if the model rejects it.")
					: t("When the context is full, old tool output is removed first. Then the conversation is summarized, and a full copy is saved.")}
			</span>
		</TooltipButton>
	);
}

const BASIS_NOTES: Record<ContextUsage["basis"], () => string> = {
	counted: () => t("Token count from the provider."),
	since: () => t("The provider's last count plus an estimate of newer content."),
	size: () => t("Estimated. The provider hasn't counted these tokens yet."),
};

/** Share from which the ring warns. */
const NEARLY_FULL = 0.8;

export function SessionCost({ use }: { use: ContextUsage }) {
	const { session, turn, called, priced } = use;
	const total = session.input + session.output;
	if (total === 0) return null;
	const known = session.cost > 0 || session.unpriced === 0;
	const tokens = t("{0} tokens", formatTokens(total));
	return (
		<TooltipButton
			label={known ? `${tokens}, ${formatCost(session)}` : tokens}
			class="cost"
			face={
				<>
					<span class="wide">{tokens}</span>
					{known ? (
						<>
							<span class="wide"> · </span>
							{formatCost(session)}
						</>
					) : (
						<span class="small">{formatTokens(total)}</span>
					)}
				</>
			}
		>
			<Spent name={t("Last turn")} totals={turn} />
			<Spent name={t("Session")} totals={session} />
			{called && (
				<span class="tip-rows">
					<Row
						name={t("Including called agents")}
						value={[t("{0} tokens", formatTokens(called.input + called.output)), formatCost(called, 4)].join(" · ")}
					/>
				</span>
			)}
			{!priced && <span class="tip-note">{t("The price of this model is unknown, so its tokens aren't included in the cost.")}</span>}
			<span class="tip-note">
				{t("Token counts come from the provider. Every call sends the conversation again. Cached tokens cost less.")}
			</span>
		</TooltipButton>
	);
}

function Spent({ name, totals }: { name: string; totals: UsageTotals }) {
	const { input, output, cached } = totals;
	return (
		<>
			<strong>{name}</strong>
			<span class="tip-rows">
				<Row name={t("Read")} value={formatCount(input)} />
				{input > 0 && <Row name={t("From the cache")} value={percent(cached / input)} />}
				<Row name={t("Written")} value={formatCount(output)} />
				<Row name={t("Cost")} value={formatCost(totals, 4)} />
			</span>
		</>
	);
}

function Row({ name, value, swatch }: { name: string; value: string; swatch?: string }) {
	return (
		<span class="tip-row">
			{swatch && <span aria-hidden="true" class={`swatch part-${swatch}`} />}
			<span class="tip-name">{name}</span>
			<span>{value}</span>{" "}
		</span>
	);
}

const RADIUS = 5;
const ROUND = 2 * Math.PI * RADIUS;

function Ring({ share }: { share: number }) {
	return (
		<svg aria-hidden="true" class="ring" viewBox="0 0 14 14" width="12" height="12">
			<circle class="ring-track" cx="7" cy="7" r={RADIUS} />
			<circle class="ring-fill" cx="7" cy="7" r={RADIUS} stroke-dasharray={`${share * ROUND} ${ROUND}`} transform="rotate(-90 7 7)" />
		</svg>
	);
}

function Bar({ parts, window }: { parts: ContextParts; window: number }) {
	let at = 0;
	return (
		<svg aria-hidden="true" class="bar" viewBox="0 0 100 1" preserveAspectRatio="none">
			{PARTS.map(({ part }) => {
				const width = (parts[part] / window) * 100;
				const x = at;
				at += width;
				return <rect key={part} class={`part-${part}`} x={x} y="0" width={width} height="1" />;
			})}
		</svg>
	);
}

function formatCount(tokens: number): string {
	return formatNumber(Math.round(tokens));
}

function percent(share: number): string {
	return share > 0 && share < 0.01 ? `<${formatPercent(0.01)}` : formatPercent(share);
}
