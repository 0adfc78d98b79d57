// The lists that limit an agent: allowed and denied, and the plugins that it opts in to.
import { t } from "../../src/shared/l10n.ts";
import { cleanText } from "../text/displayText.ts";
import { type ControlProps, Field, RadioGroup } from "./fields.tsx";
import { agentsView, draft, editDraft } from "./state.ts";

export type ScopedKind = "tool" | "capability" | "skill" | "agent";

interface Words {
	/** Accessible names of the two fields. */
	allow: string;
	deny: string;
	every: string;
	only: string;
	example: string;
}

const WORDS: Record<ScopedKind, Words> = {
	tool: {
		allow: t("Allow tools"),
		deny: t("Deny tools"),
		every: t("Every tool"),
		only: t("Only these"),
		example: "read_file\nsearch_*\nmcp__linear__*",
	},
	capability: {
		allow: t("Allow capabilities"),
		deny: t("Deny capabilities"),
		every: t("Every capability"),
		only: t("Only these"),
		example: "files.read\nnotes.*",
	},
	skill: { allow: t("Allow skills"), deny: t("Deny skills"), every: t("Every skill"), only: t("Only these"), example: "notes" },
	agent: { allow: t("Allow agents"), deny: t("Deny agents"), every: t("Every agent"), only: t("Only these"), example: "reviewer\ndocs-*" },
};

type Mode = "inherit" | "every" | "only";
type DenyMode = "inherit" | "none" | "own";

export function ScopeFields({ of, fixed }: { of: ScopedKind; fixed: boolean }) {
	const words = WORDS[of];
	const [allow, deny] = [`${of}Allowlist`, `${of}Denylist`] as const;
	const now = draft.value?.[allow];
	const parent = parentName();
	const mode: Mode = now ? "only" : now === undefined && parent !== undefined ? "inherit" : "every";
	const lists: Record<Mode, readonly string[] | null | undefined> = {
		inherit: undefined,
		every: parent === undefined ? undefined : null,
		only: now ?? [],
	};
	return (
		<div class="pair">
			<Field field={allow} label={words.allow} group>
				{(control) => (
					<>
						<RadioGroup<Mode>
							name={allow}
							value={mode}
							fixed={fixed}
							options={[
								...(parent === undefined ? [] : [{ value: "inherit" as const, label: t("Same as {0}", parent) }]),
								{ value: "every", label: words.every },
								{ value: "only", label: words.only },
							]}
							onChange={(chosen) => editDraft({ [allow]: lists[chosen] })}
						/>
						{now && (
							<Lines
								{...control}
								label={words.allow}
								lines={now}
								placeholder={words.example}
								fixed={fixed}
								onChange={(lines) => editDraft({ [allow]: lines })}
							/>
						)}
					</>
				)}
			</Field>
			<Deny field={deny} label={words.deny} example={of === "tool" ? "delete_*" : ""} parent={parent} fixed={fixed} />
		</div>
	);
}

interface DenyProps {
	field: `${ScopedKind}Denylist`;
	label: string;
	example: string;
	parent: string | undefined;
	fixed: boolean;
}

/** With a parent, an empty list is ambiguous: same as the parent, or none. */
function Deny({ field, label, example, parent, fixed }: DenyProps) {
	const now = draft.value?.[field];
	const hint = t("Applied after the allow list.");
	const lines = (control: ControlProps, empty: readonly string[] | undefined) => (
		<Lines
			{...control}
			label={label}
			lines={now ?? []}
			placeholder={example}
			fixed={fixed}
			onChange={(lines) => editDraft({ [field]: lines.length === 0 ? empty : lines })}
		/>
	);
	if (parent === undefined) {
		return (
			<Field field={field} label={label} hint={hint}>
				{(control) => lines(control, undefined)}
			</Field>
		);
	}
	const mode: DenyMode = now ? "own" : now === null ? "none" : "inherit";
	const lists: Record<DenyMode, readonly string[] | null | undefined> = { inherit: undefined, none: null, own: now ?? [] };
	return (
		<Field field={field} label={label} hint={hint} group>
			{(control) => (
				<>
					<RadioGroup<DenyMode>
						name={field}
						value={mode}
						fixed={fixed}
						options={[
							{ value: "inherit", label: t("Same as {0}", parent) },
							{ value: "none", label: t("None") },
							{ value: "own", label: t("Only these") },
						]}
						onChange={(chosen) => editDraft({ [field]: lists[chosen] })}
					/>
					{now && lines(control, [])}
				</>
			)}
		</Field>
	);
}

/** An example. */
const PLUGIN = "tasks";

export function OptInField({ fixed }: { fixed: boolean }) {
	const label = t("Opt-in plugins");
	const lines = draft.value?.optIn ?? [];
	return (
		<Field field="optIn" label={label} hint={t("An agent has the tools of these plugins only if it names them. One ID per line.")}>
			{(control) => (
				<Lines
					{...control}
					label={label}
					lines={lines}
					placeholder={PLUGIN}
					fixed={fixed}
					onChange={(next) => editDraft({ optIn: next.length === 0 ? undefined : next })}
				/>
			)}
		</Field>
	);
}

function parentName(): string | undefined {
	const id = draft.value?.extends;
	if (id === undefined) return undefined;
	const parent = agentsView.value?.rows.find((row) => row.kind === "agent" && row.agentId === id);
	return cleanText(parent?.label ?? id);
}

interface LinesProps {
	id: string;
	label: string;
	lines: readonly string[];
	placeholder: string;
	fixed: boolean;
	onChange(lines: string[]): void;
}

/** One pattern per line. */
function Lines({ label, lines, placeholder, fixed, onChange, ...control }: LinesProps) {
	return (
		<textarea
			{...control}
			class="box globs"
			rows={2}
			aria-label={label}
			readOnly={fixed}
			spellcheck={false}
			autocomplete="off"
			placeholder={placeholder}
			value={lines.join("\n")}
			onInput={({ currentTarget: { value } }) => onChange(value === "" ? [] : value.split("\n").slice(0, 500))}
		/>
	);
}
