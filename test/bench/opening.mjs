// Measures the time from clicking the view icon to a text box that accepts typing.

// The window has not shown the view before.

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { packFloor, startEditor, subjects, textbox, viewIcon } from "./editor.mjs";
import { median } from "./figures.mjs";
import { untilQuiet, within } from "./processes.mjs";

export async function measureOpening({ browser, scratch, vsix, say, rounds = 9 }) {
	const probe = await packFloor("probe", scratch);
	const packages = { troupe: [vsix, probe], floor: [await packFloor("floor", scratch), probe] };
	const editors = {};
	const opened = { troupe: [], floor: [] };
	const files = {};
	try {
		for (const name of ["troupe", "floor"]) {
			files[name] = join(scratch, `opened-${name}.json`);
			const environment = { BENCH_WATCHED: subjects[name].extension, BENCH_SEEN: files[name] };
			editors[name] = await startEditor({ browser, scratch, packages: packages[name], environment });
		}
		// The first of each fills the caches of disk and browser.
		for (let round = 0; round <= rounds; round += 1)
			for (const name of ["troupe", "floor"]) {
				await rm(files[name], { force: true });
				const found = await openOnce(editors[name], subjects[name], files[name]);
				if (round > 0) opened[name].push(found);
				say(`opening ${round}/${rounds} ${name} ${found.typing} ms${found.lost ? `, typing lost ${found.lost} times` : ""}`);
			}
	} finally {
		await Promise.all(Object.values(editors).map((editor) => editor.stop()));
	}
	const of = (name, what) => median(opened[name].map((each) => each[what]));
	const lost = opened.troupe.filter((each) => each.lost > 0).length;
	return [
		{
			name: "view click to chat takes typing (floor: a bare textarea)",
			unit: "ms",
			value: of("troupe", "typing"),
			floor: of("floor", "typing"),
			reach: { ratio: 1.6 },
			...(lost > 0 && {
				note: `what was typed at once was lost in ${lost} of ${rounds} windows; counted is the typing that stayed, the first letter took after ${Math.round(of("troupe", "first"))} ms`,
			}),
			details: {
				firstLetter: { troupe: of("troupe", "first"), floor: of("floor", "first") },
				pageShown: { troupe: of("troupe", "began"), floor: of("floor", "began") },
				samples: opened,
			},
		},
	];
}

async function openOnce(editor, subject, activated) {
	const marks = [];
	const window = await editor.open({
		async prepare(page) {
			await page.exposeBinding("benchMark", (_source, what, at) => void marks.push({ what, at }));
			await page.addInitScript(watchOpening);
		},
	});
	const { page } = window;
	await within(60_000, "the extension was not activated", () => readFile(activated).then(Boolean, () => false));
	await untilQuiet(window.host);
	await viewIcon(page, subject).click();
	const box = textbox(page, subject);
	await box.waitFor({ timeout: 30_000 });
	await within(30_000, "the textbox took no typing", async () => marks.some(({ what }) => what === "typed"));
	await untilQuiet(window.host);
	if ((await box.inputValue()) !== "x") throw new Error(`The textbox holds "${await box.inputValue()}" and not what was typed.`);
	await window.close();
	const clicked = marks.find(({ what }) => what === "clicked").at;
	const typed = marks.filter(({ what }) => what === "typed");
	const began = marks.filter(({ what, at }) => what === "began" && at >= clicked).at(-1);
	return {
		typing: typed.at(-1).at - clicked,
		first: typed[0].at - clicked,
		lost: typed.length - 1,
		began: began ? began.at - clicked : Number.NaN,
	};
}

/**
 * Runs in every frame. In the workbench it notes the click. In VS Code's own page around the chat's it types one letter
 * as soon as the chat shows a textbox, again should it be lost, and notes when the letter has outlived a frame.
 */
function watchOpening() {
	const mark = (what) => window.benchMark(what, Date.now());
	if (window === window.top) {
		window.addEventListener("mousedown", (event) => event.target.closest?.(".activitybar") && mark("clicked"), { capture: true });
		return;
	}
	let began = false;
	let waiting = false;
	const look = () => {
		requestAnimationFrame(look);
		const page = document.querySelector("#active-frame")?.contentDocument;
		if (page && !began) mark("began");
		began ||= Boolean(page);
		const box = page?.querySelector('textarea[aria-label="Message"]');
		if (!box) return;
		if (box.value === "") {
			box.focus();
			page.execCommand("insertText", false, "x");
			waiting = box.value === "x";
		} else if (waiting) {
			waiting = false;
			mark("typed");
		}
	};
	requestAnimationFrame(look);
}
