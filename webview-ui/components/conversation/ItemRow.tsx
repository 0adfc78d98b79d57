// One item of the conversation; re-rendered only when its stamp changes.
import { Component, type ComponentChild } from "preact";
import type { Item } from "../../conversation/items.ts";
import { AgentCallCard } from "../cards/AgentCallCard.tsx";
import { AgentSwitchCard } from "../cards/AgentSwitchCard.tsx";
import { ApprovalCard } from "../cards/ApprovalCard.tsx";
import { ChangeGroup } from "../cards/ChangeGroup.tsx";
import { PlanCard } from "../cards/PlanCard.tsx";
import { QuestionCard } from "../cards/QuestionCard.tsx";
import { ToolCalls } from "../cards/ToolCalls.tsx";
import { TurnChanges } from "../cards/TurnChanges.tsx";
import { TaskCard } from "../tasks/TaskCard.tsx";
import { Message } from "./Message.tsx";
import { FailureCard, Note } from "./Notes.tsx";

export class ItemRow extends Component<{ item: Item }> {
	override shouldComponentUpdate(next: { item: Item }): boolean {
		return next.item.stamp !== this.props.item.stamp || next.item.key !== this.props.item.key;
	}

	override render(): ComponentChild {
		const { item } = this.props;
		return (
			<div class="row" data-key={item.key}>
				{draw(item)}
			</div>
		);
	}
}

function draw(item: Item): ComponentChild {
	switch (item.kind) {
		case "message":
			return <Message item={item} />;
		case "calls":
			return <ToolCalls item={item} />;
		case "agentCall":
			return <AgentCallCard item={item} />;
		case "task":
			return <TaskCard item={item} />;
		case "change":
			return <ChangeGroup item={item} />;
		case "turn":
			return <TurnChanges item={item} />;
		case "plan":
			return <PlanCard item={item} />;
		case "question":
			return item.event.about?.kind === "switchAgent" ? (
				<AgentSwitchCard item={item} offer={item.event.about} />
			) : (
				<QuestionCard item={item} />
			);
		case "approval":
			return <ApprovalCard item={item} />;
		case "note":
			return <Note item={item} />;
		case "failure":
			return <FailureCard item={item} />;
	}
}
