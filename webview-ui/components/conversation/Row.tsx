// One item of the conversation; drawn again only when its stamp says that it shows something else.
import { Component, type ComponentChild } from "preact";
import type { Item } from "../../conversation/items.ts";
import { Approval } from "../cards/Approval.tsx";
import { Calls } from "../cards/Calls.tsx";
import { Change } from "../cards/Change.tsx";
import { Plan } from "../cards/Plan.tsx";
import { Question } from "../cards/Question.tsx";
import { TurnChanges } from "../cards/TurnChanges.tsx";
import { Message } from "./Message.tsx";
import { Failure, Note } from "./Notes.tsx";

export class Row extends Component<{ item: Item }> {
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
			return <Calls item={item} />;
		case "change":
			return <Change item={item} />;
		case "turn":
			return <TurnChanges item={item} />;
		case "plan":
			return <Plan item={item} />;
		case "question":
			return <Question item={item} />;
		case "approval":
			return <Approval item={item} />;
		case "note":
			return <Note item={item} />;
		case "failure":
			return <Failure item={item} />;
	}
}
