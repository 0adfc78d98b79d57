// Renders banners for blocked turns and storage failures.
import { t } from "../../../src/shared/l10n.ts";
import { postCommand } from "../../host.ts";
import { chatStatus } from "../../state.ts";
import { cleanText } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";

export function Banners() {
	const { blocked, storage } = chatStatus.value ?? {};
	return (
		<>
			{storage && (
				<div class="banner warning">
					<Icon name="warning" />
					<span>{cleanText(storage)}</span>
				</div>
			)}
			{blocked && (
				<div class="banner">
					<Icon name="info" />
					<span>{cleanText(blocked.text)}</span>
					{blocked.command && (
						<button type="button" class="secondary" onClick={() => blocked.command && postCommand(blocked.command)}>
							{blocked.button ?? t("Fix")}
						</button>
					)}
				</div>
			)}
		</>
	);
}
