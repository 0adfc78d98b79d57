// Writes a session's messages in a wire format once, so that a later request adds only what is new.
import type { BlobRef } from "../../core/events.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { ContinuedFold } from "./continuedFold.ts";
import { type ConversationMessage, toConversationMessages } from "./conversationMessages.ts";
import { GrowingText, toWellFormed } from "./json.ts";

/** Returns the bytes of an image; undefined if they no longer exist. */
export type ReadImage = (ref: BlobRef) => Uint8Array | undefined;

/** Writes messages one after the other. `image` is absent if the model takes no images. */
export interface MessageWriter<State, Result> {
	/** Names the wire format, and everything that the text depends on beside the messages. */
	key: string;
	begin(messages: readonly ConversationMessage[]): State;
	add(state: State, message: ConversationMessage, image: ReadImage | undefined): void;
	/** Must not change the state, which later messages are added to. */
	finish(state: State): Result;
}

/** One text for a session: that of the format that was written last. */
const written = new ContinuedFold<ConversationMessage>();

export async function writeMessages<State, Result>(
	{ events, image }: Pick<ModelRequest, "events" | "image">,
	createWriter: (images: readonly BlobRef[]) => MessageWriter<State, Result>,
): Promise<Result> {
	const messages = toConversationMessages(events);
	const refs = image ? listImages(messages) : [];
	const bytes = new Map<BlobRef, Uint8Array | undefined>();
	await Promise.all(refs.map(async (ref) => bytes.set(ref, await image?.(ref))));
	const read = image && ((ref: BlobRef) => bytes.get(ref));
	const { key, begin, add, finish } = createWriter(refs);
	// An image that is no longer sent changes what was written.
	const sent = refs.map((ref) => (bytes.get(ref) ? "+" : "-")).join("");
	const state = written.fold(
		messages,
		`${key} ${image ? "images" : "text"} ${sent}`,
		() => begin(messages),
		(writing: State, message) => add(writing, message, read),
	);
	return finish(state);
}

/** Writes the items of a list, well-formed and with commas between them. `before` is the last item of the message before. */
export function writeItems<Item extends object>(
	request: Pick<ModelRequest, "events" | "image">,
	key: string,
	toItems: (message: ConversationMessage, image: ReadImage | undefined, before: Item | undefined) => readonly Item[],
): Promise<Uint8Array> {
	return writeMessages(request, () => ({
		key,
		begin: (): { text: GrowingText; last?: Item } => ({ text: new GrowingText() }),
		add(state, message, image) {
			for (const item of toItems(message, image, state.last)) {
				state.text.add(`${state.text.length === 0 ? "" : ","}${JSON.stringify(toWellFormed(item))}`);
				state.last = item;
			}
		},
		finish: ({ text }) => text.read(),
	}));
}

/** A loop, since it runs over the whole conversation in each request. */
function listImages(messages: readonly ConversationMessage[]): BlobRef[] {
	const refs: BlobRef[] = [];
	for (const message of messages) {
		if (message.by === "person") refs.push(...message.images);
		if (message.by === "tools") for (const { images } of message.results) refs.push(...images);
	}
	return refs;
}
