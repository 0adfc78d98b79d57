// Maps a repository tag to its release: `v1.2.3` is version 1.2.3, `v1.3.0-pre` a pre-release of 1.3.0.

/** Throws if the tag has another format, or another version than package.json. */
export function releaseOfTag(tag, version) {
	const [, tagged, suffix] = /^v(\d+\.\d+\.\d+)(-pre)?$/.exec(tag) ?? [];
	if (tagged === undefined) throw new Error(`${tag} is no release: tags are v${version}, or v${version}-pre for a pre-release.`);
	if (tagged !== version) throw new Error(`${tag} does not fit package.json, which has version ${version}.`);
	return { preRelease: suffix !== undefined };
}
