// Fields for an agent's access beside its tools: MCP servers, plugin exposure, visibility and approvals.
import { useRef } from "preact/hooks";
import { t } from "../../src/shared/l10n.ts";
import type { ScopeSummary } from "../../src/shared/protocol/agents.ts";
import { InlineText } from "../components/conversation/Text.tsx";
import { Icon } from "../components/Icon.tsx";
import { cleanText } from "../text/displayText.ts";
import { CheckboxField, Field, RadioGroup } from "./fields.tsx";
import { postIntent } from "./host.ts";
import { agentsView, draft, editDraft, scope, selectedRow } from "./state.ts";

export function McpServersField({ fixed }: { fixed: boolean }) {
	const servers = agentsView.value?.servers ?? [];
	const named = draft.value?.mcpServers ?? [];
	const missing = named.filter((id) => !servers.some((server) => server.id === id));
	const toggle = (id: string, checked: boolean) => {
		const next = checked ? [...named, id] : named.filter((entry) => entry !== id);
		editDraft({ mcpServers: next.length === 0 ? undefined : next });
	};
	return (
		<Field
			field="mcpServers"
			label={t("MCP servers")}
			hint={t("Started only for this agent, in its first turn. You're asked before a server starts for the first time.")}
			group
		>
			{(control) => (
				<div class="checks" id={control.id}>
					{servers.map(({ id, name, description, icon, problem }) => (
						<CheckboxField
							key={id}
							label={
								<>
									<Icon name={icon ?? "server"} class="small-icon" /> {cleanText(name)}
								</>
							}
							hint={
								[description, problem]
									.filter((part) => part !== undefined)
									.map(cleanText)
									.join(" · ") || undefined
							}
							checked={named.includes(id)}
							fixed={fixed}
							onChange={(checked) => toggle(id, checked)}
						/>
					))}
					{missing.map((id) => (
						<CheckboxField
							key={id}
							label={t("{0} (not configured)", cleanText(id))}
							checked
							fixed={fixed}
							onChange={() => toggle(id, false)}
						/>
					))}
					{servers.length === 0 && <p class="field-hint">{t("No MCP servers configured")}</p>}
					{!fixed && scope.value?.shut.map((server) => <LeftOut key={server.pattern} {...server} />)}
					<button type="button" class="link" onClick={() => postIntent({ type: "command", command: "mcpSettings" })}>
						{t("Configure MCP Servers")}
					</button>
				</div>
			)}
		</Field>
	);
}

/** Repeated here because the resulting tools are out of view when a server is checked. */
function LeftOut({ name, pattern }: ScopeSummary["shut"][number]) {
	return (
		<p class="scope-note" role="status">
			<Icon name="warning" class="small-icon" />
			<span>
				{t("Its allowed tools exclude every tool of {0}.", cleanText(name))}{" "}
				<button type="button" class="link" onClick={() => editDraft({ toolAllowlist: [...(draft.value?.toolAllowlist ?? []), pattern] })}>
					{t("Allow Tools of {0}", cleanText(name))}
				</button>
			</span>
		</p>
	);
}

type Exposure = "tools" | "skills" | "mixed";

export function ExposureField({ fixed }: { fixed: boolean }) {
	return (
		<Field field="toolExposure" label={t("Tool exposure")} group>
			{(control) => (
				<div id={control.id}>
					<RadioGroup<Exposure>
						name="exposure"
						value={draft.value?.toolExposure ?? "tools"}
						fixed={fixed}
						options={[
							{ value: "tools", label: t("Tools"), hint: t("Plugins are available as tools.") },
							{ value: "skills", label: t("Skills"), hint: t("Plugins are used from a shell, through the same permission gate.") },
							{ value: "mixed", label: t("Mixed"), hint: t("Plugins whose skill is allowed are used from a shell, others as tools.") },
						]}
						onChange={(exposure) => editDraft({ toolExposure: exposure === "tools" ? undefined : exposure })}
					/>
				</div>
			)}
		</Field>
	);
}

export function OutputField({ fixed }: { fixed: boolean }) {
	return (
		<Field field="output" label={t("Output")} group>
			{(control) => (
				<div id={control.id}>
					<RadioGroup<"text" | "reply">
						name="output"
						value={draft.value?.output ?? "text"}
						fixed={fixed}
						options={[
							{ value: "text", label: t("Text"), hint: t("What it writes is its answer.") },
							{ value: "reply", label: t("Replies"), hint: t("What it writes is private thought. It speaks with the reply tool.") },
						]}
						onChange={(output) => editDraft({ output: output === "text" ? undefined : output })}
					/>
				</div>
			)}
		</Field>
	);
}

export function VisibilityField({ fixed }: { fixed: boolean }) {
	return (
		<Field field="uiVisible" label={t("Visibility")} group>
			{(control) => (
				<div class="checks" id={control.id}>
					<CheckboxField
						label={t("Show in agent pickers")}
						checked={draft.value?.uiVisible ?? true}
						fixed={fixed}
						onChange={(checked) => editDraft({ uiVisible: checked ? undefined : false })}
					/>
					<CheckboxField
						label={t("Available to the API")}
						hint={t("Reserved for the local API")}
						checked={draft.value?.apiExposed ?? false}
						fixed={fixed}
						onChange={(checked) => editDraft({ apiExposed: checked ? true : undefined })}
					/>
				</div>
			)}
		</Field>
	);
}

/** An example. */
const RULE = "update_file";

export function ApprovalsField({ fixed }: { fixed: boolean }) {
	const input = useRef<HTMLInputElement>(null);
	const named = draft.value?.allowedTools ?? [];
	const granted = selectedRow.value?.kind === "agent" ? selectedRow.value.grants : 0;
	const update = (next: readonly string[]) => editDraft({ allowedTools: next.length === 0 ? undefined : next });
	const add = () => {
		const value = input.current?.value.trim() ?? "";
		if (value === "" || !input.current) return;
		if (!named.includes(value)) update([...named, value]);
		input.current.value = "";
		input.current.focus();
	};
	return (
		<Field
			field="allowedTools"
			label={t("Saved approvals")}
			hint={
				<InlineText
					text={t(
						"Tools this agent may use without asking: `tool` or `tool(class)`. `execute_command` alone is rejected. Specify the command: `execute_command(npm test)`.",
					)}
				/>
			}
		>
			{(control) => (
				<>
					{named.length > 0 && (
						<ul class="rules">
							{named.map((rule) => (
								<li key={rule}>
									<code>{cleanText(rule)}</code>
									{!fixed && (
										<button
											type="button"
											class="icon-button"
											aria-label={t("Remove {0}", cleanText(rule))}
											title={t("Remove")}
											onClick={() => update(named.filter((entry) => entry !== rule))}
										>
											<Icon name="close" />
										</button>
									)}
								</li>
							))}
						</ul>
					)}
					{!fixed && (
						<div class="add-rule">
							<input
								{...control}
								ref={input}
								class="box mono"
								placeholder={RULE}
								maxLength={500}
								spellcheck={false}
								onKeyDown={(key) => {
									if (key.key !== "Enter" || key.isComposing) return;
									key.preventDefault();
									add();
								}}
							/>
							<button type="button" class="secondary" onClick={add}>
								{t("Add")}
							</button>
						</div>
					)}
					{granted > 0 && (
						<p class="field-hint">
							{granted === 1 ? t("1 approval saved in the chat") : t("{0} approvals saved in the chat", granted)}{" "}
							<button type="button" class="link" onClick={() => postIntent({ type: "command", command: "manageGrants" })}>
								{t("Manage Approvals")}
							</button>
						</p>
					)}
				</>
			)}
		</Field>
	);
}
