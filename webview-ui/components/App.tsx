// The page: conversation, composer, and a live region for screen readers.
import { t } from "../../src/shared/l10n.ts";
import { announcements } from "../focus/announce.ts";
import { Banners } from "./composer/Banners.tsx";
import { Composer } from "./composer/Composer.tsx";
import { Transcript } from "./conversation/Transcript.tsx";
import { OwnTaskChanges } from "./tasks/TaskChanges.tsx";
import { OwnWiderRole } from "./tasks/WiderRole.tsx";

export function App() {
	return (
		<main class="app">
			<h1 class="sr-only">{t("Chat")}</h1>
			<Transcript />
			<OwnTaskChanges />
			<OwnWiderRole />
			<Banners />
			<Composer />
			<div role="status" aria-live="polite" class="sr-only">
				{announcements.value.map(({ id, text }) => (
					<p key={id}>{text}</p>
				))}
			</div>
		</main>
	);
}
