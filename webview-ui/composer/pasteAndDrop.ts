// Handles paste and drop: attaches images, and mentions files from the editor.
import { useEffect, useState } from "preact/hooks";
import { postSessionIntent } from "../host.ts";
import { attachImages } from "./images.ts";

/** Whether something that can be dropped here is held over the page. */
export function useDrop(): boolean {
	const [over, setOver] = useState(false);
	useEffect(() => {
		const held = (drag: DragEvent) => {
			if (!drag.dataTransfer || !isOurs(drag.dataTransfer.types)) return;
			drag.preventDefault();
			drag.dataTransfer.dropEffect = "copy";
			setOver(true);
		};
		const left = (drag: DragEvent) => {
			if (!drag.relatedTarget) setOver(false);
		};
		const dropped = (drag: DragEvent) => {
			setOver(false);
			if (!drag.dataTransfer || !isOurs(drag.dataTransfer.types)) return;
			drag.preventDefault();
			take(drag.dataTransfer);
		};
		const listeners = { dragenter: held, dragover: held, dragleave: left, drop: dropped };
		for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener as EventListener);
		return () => {
			for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener as EventListener);
		};
	}, []);
	return over;
}

/** Pictures of the clipboard. Where there is text as well, the text was meant: spreadsheets bring a picture of themselves. */
export function pastedImages(data: DataTransfer | null): File[] {
	if (!data || data.types.includes("text/plain")) return [];
	return [...data.files].filter(({ type }) => type.startsWith("image/"));
}

/** The editor's own names for what is dragged out of its explorer and its tabs. */
const URI_LISTS = ["application/vnd.code.uri-list", "text/uri-list"];
const RESOURCES = "resourceurls";

function isOurs(types: readonly string[]): boolean {
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
