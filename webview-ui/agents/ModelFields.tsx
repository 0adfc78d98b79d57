// Fields for an agent's model, for all roles or each, its parent agent and its roles.
import { t } from "../../src/shared/l10n.ts";
import { Icon } from "../components/Icon.tsx";
import { cleanText } from "../text/displayText.ts";
import { CheckboxField, type ControlProps, Field, RadioGroup } from "./fields.tsx";
import { agentsView, draft, editDraft, selectedKey } from "./state.ts";

export function ModelField({ fixed }: { fixed: boolean }) {
	const model = draft.value?.model;
	const each = typeof model === "object";
	const roles = agentsView.value?.roles ?? [];
	return (
		<Field field="model" label={t("Model")} hint={each ? t("Roles without a model use the model from your settings.") : undefined}>
			{(control) => (
				<>
					{!each && <ModelSelect {...control} value={model} fixed={fixed} onChange={(id) => editDraft({ model: id })} />}
					{each &&
						roles.map((role, index) => (
							<div key={role.id} class="model-row">
								<label for={index === 0 ? control.id : `model-${role.id}`}>{cleanText(role.label)}</label>
								<ModelSelect
									{...control}
									id={index === 0 ? control.id : `model-${role.id}`}
									value={model[role.id]}
									fixed={fixed}
									onChange={(id) => editDraft({ model: withRole(model, role.id, id) })}
								/>
							</div>
						))}
					<CheckboxField
						label={t("Use a different model for each role")}
						checked={each}
						fixed={fixed}
						onChange={(checked) => {
							const single = typeof model === "string" ? model : Object.values(model ?? {})[0];
							editDraft({ model: checked ? Object.fromEntries(single === undefined ? [] : roles.map(({ id }) => [id, single])) : single });
						}}
					/>
				</>
			)}
		</Field>
	);
}

function withRole(model: Readonly<Record<string, string>>, role: string, id: string | undefined): Record<string, string> {
	const { [role]: _, ...others } = model;
	return id === undefined ? others : { ...others, [role]: id };
}

interface SelectProps extends ControlProps {
	value: string | undefined;
	fixed: boolean;
	onChange(id: string | undefined): void;
}

function ModelSelect({ value, fixed, onChange, ...control }: SelectProps) {
	const { models, auto } = agentsView.value ?? {};
	const known = models?.some((group) => group.models.some(({ id }) => id === value));
	return (
		<select
			{...control}
			class="box"
			value={value ?? ""}
			disabled={fixed}
			onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
		>
			<option value="">{auto ? t("Default from settings (currently {0})", cleanText(auto)) : t("Default from settings")}</option>
			{value !== undefined && !known && <option value={value}>{cleanText(value)}</option>}
			{models
				?.filter((group) => group.models.length > 0)
				.map((group) => (
					<optgroup key={group.label} label={cleanText(group.label)}>
						{group.models.map(({ id, name }) => (
							<option key={id} value={id}>
								{cleanText(name)}
							</option>
						))}
					</optgroup>
				))}
		</select>
	);
}

export function ExtendsField({ fixed }: { fixed: boolean }) {
	const value = draft.value?.extends;
	const others = (agentsView.value?.rows ?? []).flatMap((row) =>
		row.kind === "agent" && row.key !== selectedKey.value && row.origin !== "workspace" ? [row] : [],
	);
	return (
		<Field field="extends" label={t("Extends")} hint={t("Empty fields are inherited.")}>
			{(control) => (
				<select
					{...control}
					class="box"
					value={value ?? ""}
					disabled={fixed}
					onChange={({ currentTarget }) => editDraft({ extends: currentTarget.value || undefined })}
				>
					<option value="">{t("No agent")}</option>
					{value !== undefined && !others.some(({ agentId }) => agentId === value) && (
						<option value={value}>{t("{0} (not found)", cleanText(value))}</option>
					)}
					{others.map(({ agentId, label }) => (
						<option key={agentId} value={agentId}>
							{cleanText(label)}
						</option>
					))}
				</select>
			)}
		</Field>
	);
}

export function RolesField({ fixed }: { fixed: boolean }) {
	const named = draft.value?.roles;
	const all = agentsView.value?.roles ?? [];
	const missing = (named ?? []).filter((id) => !all.some((role) => role.id === id));
	const available = all.filter(({ id }) => named?.includes(id) ?? true);
	const initial = draft.value?.defaultRole;
	const toggle = (id: string, checked: boolean) => {
		const next = checked ? [...(named ?? []), id] : (named ?? []).filter((entry) => entry !== id);
		editDraft({ roles: next, ...(!next.includes(initial ?? "") && { defaultRole: undefined }) });
	};
	return (
		<>
			<Field field="roles" label={t("Roles")} hint={t("Limits what the agent can do, regardless of its tools.")} group>
				{(control) => (
					<div id={control.id}>
						<RadioGroup<"every" | "only">
							name="roles"
							value={named ? "only" : "every"}
							fixed={fixed}
							options={[
								{ value: "every", label: t("Every role") },
								{ value: "only", label: t("Only these") },
							]}
							onChange={(mode) => editDraft({ roles: mode === "every" ? undefined : all.map(({ id }) => id) })}
						/>
						{named && (
							<div class="checks">
								{all.map(({ id, label, icon, may }) => (
									<CheckboxField
										key={id}
										label={
											<>
												{icon && <Icon name={icon} class="small-icon" />} {cleanText(label)}
											</>
										}
										hint={cleanText(may)}
										checked={named.includes(id)}
										fixed={fixed}
										onChange={(checked) => toggle(id, checked)}
									/>
								))}
								{missing.map((id) => (
									<CheckboxField
										key={id}
										label={t("{0} (not found)", cleanText(id))}
										checked
										fixed={fixed}
										onChange={() => toggle(id, false)}
									/>
								))}
							</div>
						)}
					</div>
				)}
			</Field>
			<Field field="defaultRole" label={t("Default role")} hint={t("Role for this agent's new sessions.")}>
				{(control) => (
					<select
						{...control}
						class="box"
						value={initial ?? ""}
						disabled={fixed}
						onChange={({ currentTarget }) => editDraft({ defaultRole: currentTarget.value || undefined })}
					>
						<option value="">{t("Default from settings")}</option>
						{initial !== undefined && !available.some(({ id }) => id === initial) && <option value={initial}>{cleanText(initial)}</option>}
						{available.map(({ id, label }) => (
							<option key={id} value={id}>
								{cleanText(label)}
							</option>
						))}
					</select>
				)}
			</Field>
		</>
	);
}
