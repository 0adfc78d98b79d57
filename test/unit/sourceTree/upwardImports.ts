// Imports that point up inside a room, by name; none may be added, and floors.test.ts has their number.

/** Each points up to another floor of its room, or closes a ring among what lies beside each other. */
export const upwardImports: readonly string[] = [
	"webview-ui/components/conversation/ItemRow.tsx → webview-ui/components/cards/AgentCallCard.tsx",
	"webview-ui/components/conversation/ItemRow.tsx → webview-ui/components/cards/AgentSwitchCard.tsx",
	"webview-ui/components/conversation/ItemRow.tsx → webview-ui/components/cards/ApprovalCard.tsx",
	"webview-ui/components/conversation/ItemRow.tsx → webview-ui/components/cards/ChangeGroup.tsx",
	"webview-ui/components/conversation/ItemRow.tsx → webview-ui/components/cards/PlanCard.tsx",
	"webview-ui/components/conversation/ItemRow.tsx → webview-ui/components/cards/QuestionCard.tsx",
	"webview-ui/components/conversation/ItemRow.tsx → webview-ui/components/cards/ToolCalls.tsx",
	"webview-ui/components/conversation/ItemRow.tsx → webview-ui/components/cards/TurnChanges.tsx",
	"webview-ui/components/conversation/ItemRow.tsx → webview-ui/components/tasks/TaskCard.tsx",
	"webview-ui/components/conversation/Text.tsx → webview-ui/components/cards/FoldedLines.tsx",
	"webview-ui/components/conversation/Transcript.tsx → webview-ui/components/cards/RunningPlanBar.tsx",
	"webview-ui/composer/CompletionPopup.tsx → webview-ui/components/Icon.tsx",
	"webview-ui/composer/ContextChip.tsx → webview-ui/components/Icon.tsx",
	"webview-ui/composer/DraftAttachments.tsx → webview-ui/components/Icon.tsx",
	"webview-ui/composer/QueuedMessages.tsx → webview-ui/components/Icon.tsx",
	"webview-ui/composer/SentAttachments.tsx → webview-ui/components/Icon.tsx",
	"webview-ui/composer/hint.ts → webview-ui/focus/announce.ts",
	"webview-ui/conversation/requestEarlier.ts → webview-ui/state.ts",
	"webview-ui/find/find.ts → webview-ui/components/useExpanded.ts",
	"webview-ui/focus/focus.ts → webview-ui/components/useExpanded.ts",
	"webview-ui/host.ts → webview-ui/composer/earlyInput.ts",
	"webview-ui/host.ts → webview-ui/state.ts",
	"webview-ui/text/codeBlockActions.ts → webview-ui/focus/announce.ts",
];
