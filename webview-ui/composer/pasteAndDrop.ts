// Handles paste and drop: attaches images, and mentions files from the editor.
import { useEffect, useState } from "preact/hooks";
import { postSessionIntent } from "../host.ts";
import { attachImages } from "./images.ts";

/** Returns true while something droppable is dragged over the page. */
export function useDrop(): boolean {
	const [over, setOver] = useState(false);
	useEffect(() => {
		const onDragOver = (drag: DragEvent) => {
			if (!drag.dataTransfer || !isSupported(drag.dataTransfer.types)) return;
			drag.preventDefault();
			drag.dataTransfer.dropEffect = "copy";
			setOver(true);
		};
		const onDragLeave = (drag: DragEvent) => {
			if (!drag.relatedTarget) setOver(false);
		};
		const onDrop = (drag: DragEvent) => {
			setOver(false);
			if (!drag.dataTransfer || !isSupported(drag.dataTransfer.types)) return;
			drag.preventDefault();
			take(drag.dataTransfer);
		};
		const listeners = { dragenter: onDragOver, dragover: onDragOver, dragleave: onDragLeave, drop: onDrop };
		for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener as EventListener);
		return () => {
			for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener as EventListener);
		};
	}, []);
	return over;
}

/** Images on the clipboard. If it also contains text, the text is pasted: spreadsheets add an image of themselves. */
export function pastedImages(data: DataTransfer | null): File[] {
	if (!data || data.types.includes("text/plain")) return [];
	return [...data.files].filter(({ type }) => type.startsWith("image/"));
}

/** Types that the editor uses for drags from its explorer and tabs. */
const URI_LISTS = ["application/vnd.code.uri-list", "text/uri-list"];
const RESOURCES = "resourceurls";

function isSupported(types: readonly string[]): boolean {
	const given = types.map((type) => type.toLowerCase());
	return ["files", RESOURCES, ...URI_LISTS].some((type) => given.includes(type));
}

function take(data: DataTransfer): void {
	const files = [...data.files];
	const uris = urisOf(data);
	const pictures = files.filter(({ type }) => type.startsWith("image/"));
	if (pictures.length > 0) void attachImages(pictures);
	else if (uris.length > 0) postSessionIntent("drop", { uris: uris.slice(0, 50) });
	else if (files.length > 0) void attachImages(files.slice(0, 1));
}

function urisOf(data: DataTransfer): string[] {
	for (const type of URI_LISTS) {
		const lines = data.getData(type).split(/\r?\n/);
		const uris = lines.filter((line) => line !== "" && !line.startsWith("#"));
		if (uris.length > 0) return uris;
	}
	try {
		const listed: unknown = JSON.parse(data.getData(RESOURCES) || "[]");
		return Array.isArray(listed) ? listed.filter((uri) => typeof uri === "string") : [];
	} catch {
		return [];
	}
}
