// A field as in VS Code's settings: label, hint, control and problem.
import type { ComponentChildren } from "preact";
import { useEffect, useId } from "preact/hooks";
import { InlineText } from "../components/conversation/Text.tsx";
import { Icon } from "../components/Icon.tsx";
import { cleanText } from "../text/displayText.ts";
import { announcement, draft, editDraft, problems } from "./state.ts";

export interface ControlProps {
	id: string;
	"aria-describedby"?: string;
	"aria-invalid"?: boolean;
}

interface FieldProps {
	/** Field of the draft; identifies the control and its problem. */
	field: string;
	label: string;
	hint?: ComponentChildren;
	/** A group of controls, which label themselves. */
	group?: boolean;
	children: (control: ControlProps) => ComponentChildren;
}

export function Field({ field, label, hint, group, children }: FieldProps) {
	const problem = problems.value.get(field);
	const id = `f-${field}`;
	const about = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
	const control = { id, ...(about && { "aria-describedby": about }), ...(problem !== undefined && { "aria-invalid": true }) };
	const inside = (
		<>
			{hint && (
				<div id={`${id}-hint`} class="field-hint">
					{hint}
				</div>
			)}
			{children(control)}
			<ProblemOf id={id} problem={problem} />
		</>
	);
	if (group) {
		return (
			<fieldset class="field" aria-describedby={control["aria-describedby"]}>
				<legend class="field-label">{label}</legend>
				{inside}
			</fieldset>
		);
	}
	return (
		<div class="field">
			<label class="field-label" for={id}>
				{label}
			</label>
			{inside}
		</div>
	);
}

/** Announces a problem that appears while its field has the focus; others are read with their field. */
function ProblemOf({ id, problem }: { id: string; problem: string | undefined }) {
	useEffect(() => {
		const about = `${id}-problem`;
		if (problem !== undefined && document.activeElement?.getAttribute("aria-describedby")?.split(" ").includes(about)) {
			announcement.value = cleanText(problem);
		}
	}, [id, problem]);
	if (problem === undefined) return null;
	return (
		<div id={`${id}-problem`} class="field-problem">
			<Icon name="error" class="small-icon" />
			<span>
				<InlineText text={problem} />
			</span>
		</div>
	);
}

interface TextProps {
	field: "displayName" | "description" | "systemPrompt";
	label: string;
	hint?: string;
	placeholder?: string;
	long?: boolean;
	fixed: boolean;
}

export function TextField({ field, label, hint, placeholder, long, fixed }: TextProps) {
	const value = draft.value?.[field] ?? "";
	const change = (text: string) => editDraft({ [field]: text === "" && field !== "displayName" ? undefined : text });
	return (
		<Field field={field} label={label} hint={hint}>
			{(control) =>
				long ? (
					<textarea
						{...control}
						class="box prompt"
						rows={4}
						readOnly={fixed}
						maxLength={200_000}
						placeholder={placeholder}
						value={value}
						onInput={({ currentTarget }) => change(currentTarget.value)}
					/>
				) : (
					<input
						{...control}
						class="box"
						readOnly={fixed}
						maxLength={500}
						placeholder={placeholder}
						value={value}
						onInput={({ currentTarget }) => change(currentTarget.value)}
					/>
				)
			}
		</Field>
	);
}

interface CheckProps {
	label: ComponentChildren;
	hint?: ComponentChildren;
	checked: boolean;
	fixed: boolean;
	id?: string;
	onChange(checked: boolean): void;
}

export function CheckboxField({ label, hint, checked, fixed, id, onChange }: CheckProps) {
	const generatedId = useId();
	const input = id ?? generatedId;
	return (
		<div class="check">
			<input
				type="checkbox"
				id={input}
				checked={checked}
				disabled={fixed}
				aria-describedby={hint ? `${input}-hint` : undefined}
				onChange={({ currentTarget }) => onChange(currentTarget.checked)}
			/>
			<div>
				<label for={input}>{label}</label>
				{hint && (
					<div id={`${input}-hint`} class="field-hint">
						{hint}
					</div>
				)}
			</div>
		</div>
	);
}

interface ChoiceProps<T extends string> {
	name: string;
	value: T;
	options: readonly { value: T; label: string; hint?: string }[];
	fixed: boolean;
	onChange(value: T): void;
}

/** Radio buttons, stacked if any has a hint. */
export function RadioGroup<T extends string>({ name, value, options, fixed, onChange }: ChoiceProps<T>) {
	return (
		<div class={options.some(({ hint }) => hint) ? "choice rows" : "choice"}>
			{options.map((option) => (
				<div key={option.value} class="check">
					<input
						type="radio"
						id={`${name}-${option.value}`}
						name={name}
						checked={value === option.value}
						disabled={fixed}
						aria-describedby={option.hint ? `${name}-${option.value}-hint` : undefined}
						onChange={() => onChange(option.value)}
					/>
					<div>
						<label for={`${name}-${option.value}`}>{option.label}</label>
						{option.hint && (
							<div id={`${name}-${option.value}-hint`} class="field-hint">
								{option.hint}
							</div>
						)}
					</div>
				</div>
			))}
		</div>
	);
}
