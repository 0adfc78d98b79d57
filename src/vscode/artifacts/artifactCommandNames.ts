// The commands of notes, lists and views.

export const ARTIFACT_COMMANDS = [
	"newNote",
	"newList",
	"newView",
	"openArtifact",
	"openArtifactJson",
	"renameArtifact",
	"tagArtifact",
	"editQuery",
	"deleteArtifact",
	"restoreArtifact",
	"exportArtifact",
	"importArtifact",
] as const;

export type ArtifactCommand = (typeof ARTIFACT_COMMANDS)[number];
