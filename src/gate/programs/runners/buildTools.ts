// Build tools that run work defined in project files: cargo, go, make, Maven, Gradle, dotnet, and similar.
import { t } from "../../../shared/l10n.ts";
import type { ApprovalBinding, Assessment, Assessor, AssessorTable, Invocation } from "../assessment.ts";
import { parseFlags } from "../flags.ts";
import { askForExactLine, pathOperands, projectRunner } from "./projectRunner.ts";
import { projectTools } from "./projectTools.ts";

function nearest(kind: string, names: string): ApprovalBinding {
	return { kind, nearest: names.split(" ") };
}

/** Members of a workspace have their own manifests and build scripts; cargo's build output is ignored. */
const cargo: readonly ApprovalBinding[] = [
	{ ...nearest("cargo", "Cargo.toml"), read: excludingFolder("target") },
	nearest("cargo build", "build.rs"),
	nearest("cargo configuration", ".cargo/config.toml .cargo/config"),
	nearest("rust toolchain", "rust-toolchain.toml rust-toolchain"),
	{ kind: "cargo", everywhere: ["Cargo.toml"], leaves: ["target"], read: excludingFolder("target") },
	{ kind: "cargo build", everywhere: ["build.rs"], leaves: ["target"] },
	{ kind: "cargo configuration", upwards: [".cargo/config.toml", ".cargo/config"] },
];

/** A definition that refers to an ignored folder cannot be followed. */
function excludingFolder(folder: string): NonNullable<ApprovalBinding["read"]> {
	return (text) => (new RegExp(`["'/\\\\]${folder}["'/\\\\]`).test(text) ? undefined : { defines: text });
}

const maven: readonly ApprovalBinding[] = [
	nearest("maven", "pom.xml"),
	{ kind: "maven", everywhere: ["pom.xml"] },
	...["maven.config", "jvm.config", "extensions.xml", "wrapper/maven-wrapper.properties"].map((name) => nearest(name, `.mvn/${name}`)),
];
const gradle: readonly ApprovalBinding[] = [
	nearest("gradle", "build.gradle build.gradle.kts"),
	nearest("gradle settings", "settings.gradle settings.gradle.kts"),
	nearest("gradle properties", "gradle.properties"),
	nearest("gradle wrapper", "gradle/wrapper/gradle-wrapper.properties"),
	{
		kind: "gradle",
		everywhere: ["*.gradle", "*.gradle.kts", "gradle.properties", "*.versions.toml", "buildSrc/"],
		leaves: [".gradle"],
	},
];
const gradleFlags = {
	alone:
		"--info -i --quiet -q --debug -d --stacktrace -s --no-daemon --parallel --continue --rerun-tasks --build-cache --offline --dry-run -m --no-build-cache --warn -w",
	text: "--tests --console --max-workers -x --exclude-task",
};
const mavenFlags = {
	alone: "-q --quiet -o --offline -B --batch-mode -e --errors -X --debug -U --no-transfer-progress -ntp -fae -ff --fail-fast",
	text: "-T --threads",
	optional: "-DskipTests",
};

const make: ApprovalBinding = { kind: "make", nearest: ["GNUmakefile", "makefile", "Makefile"], read: definesMake };

/** Included files are part of the definition; a name that make would have to compute cannot be followed. */
function definesMake(text: string): { defines: string; also: string[] } | undefined {
	const also: string[] = [];
	for (const line of text.replaceAll("\\\n", " ").split("\n")) {
		const included = /^\s*[-s]?include\s+(.+?)\s*(#.*)?$/.exec(line);
		if (!included) continue;
		const names = (included[1] as string).split(/\s+/);
		if (names.some((name) => /[$*?[]/.test(name))) return undefined;
		also.push(...names);
	}
	return { defines: text, also };
}

const judgeMake: Assessor = (call) => {
	const read = parseFlags(call.words, {
		alone:
			"-s --silent --quiet -k --keep-going -n --dry-run --just-print -B --always-make -q --question --no-print-directory -w --print-directory",
		optional: "-j --jobs",
		text: "-l --load-average",
	});
	const targets = read.operands.filter((word) => !/^\d+$/.test(word));
	const unknownArgument =
		read.unknown ?? targets.find((word) => !/^[\w./-]+$/.test(word)) ?? [...call.unknown].map((place) => call.words[place])[0];
	if (unknownArgument !== undefined)
		return askForExactLine(call, t("Troupe doesn't know what {0} does with {1}.", "make", unknownArgument), [make]);
	return { class: ["make", ...targets].join(" "), bindings: [make], operands: pathOperands(targets) };
};

/** Goals and tasks are part of the class; the definition contains what each runs. */
function tasks(
	flags: Parameters<typeof parseFlags>[1],
	bindings: readonly ApprovalBinding[],
	known: RegExp,
	offline: readonly string[],
): Assessor {
	return (call) => {
		const [program = ""] = call.words;
		const read = parseFlags(call.words, flags);
		const unknownArgument =
			read.unknown ?? read.operands.find((word) => !known.test(word)) ?? [...call.unknown].map((place) => call.words[place])[0];
		if (unknownArgument !== undefined)
			return askForExactLine(call, t("Troupe doesn't know what {0} does with {1}.", program, unknownArgument), bindings);
		const fetches = !offline.some((flag) => read.flags.has(flag));
		return { class: [program, ...read.operands].join(" "), bindings, operands: [], ...(fetches && { fetches }) };
	};
}

/** Excludes goals that publish or deploy. */
const GOALS =
	/^(clean|validate|compile|test-compile|test|package|verify|:?[\w-]+(:[\w-]+)*:(test|check|build|assemble|classes)|check|build|assemble|classes|testClasses)$/;
const mavenTasks = tasks(mavenFlags, maven, GOALS, ["-o", "--offline"]);
const gradleTasks = tasks(gradleFlags, gradle, GOALS, ["--offline"]);

/** `bundle exec rspec`: a known tool from the Gemfile. */
const bundle: Assessor = (call): Assessment => {
	const [, exec, name = "", ...rest] = call.words;
	const tool = exec === "exec" && Object.hasOwn(projectTools, name) ? projectTools[name]?.({ ...call, words: [name, ...rest] }) : undefined;
	const gems = [nearest("bundler", "Gemfile"), nearest("bundler lock", "Gemfile.lock"), nearest("bundler configuration", ".bundle/config")];
	if (tool?.class === undefined) return askForExactLine(call, t("{0} installs or runs packages.", "bundle"), gems);
	return { ...tool, class: `bundle exec ${tool.class}`, bindings: [...gems, ...(tool.bindings ?? [])] };
};

export const buildTools: AssessorTable = {
	make: judgeMake,
	gmake: (call) => judgeMake({ ...call, words: ["make", ...call.words.slice(1)] }),
	mvn: mavenTasks,
	gradle: gradleTasks,
	bundle,
	cargo: projectRunner({
		subcommands: "build b check c test t clippy fmt doc d bench tree metadata",
		writers: "fmt",
		flags: {
			alone:
				"--release -r --workspace --all --all-targets --all-features --no-default-features --lib --bins --tests --examples --benches --verbose -v -vv " +
				"--quiet -q --locked --offline --frozen --no-fail-fast --no-run --doc --keep-going --no-deps --check --nocapture --ignored --include-ignored",
			text: "--package -p --features -F --bin --test --example --bench --jobs -j --message-format --color --profile --test-threads -D -W -A --exclude --depth",
		},
		fetches: { except: "fmt", unless: ["--offline", "--frozen"] },
		bindings: cargo,
	}),
	go: projectRunner({
		subcommands: "build test vet fmt list doc version",
		writers: "fmt",
		flags: {
			oneDash: true,
			alone: "-v -race -short -cover -failfast -json -x -n -a -i -m",
			text: "-run -bench -count -timeout -parallel -cpu -tags -p -coverpkg -covermode -shuffle -skip -benchtime -f",
			optional: "-v -race -short -cover -m",
		},
		fetches: { except: "fmt version" },
		bindings: [nearest("go", "go.mod"), nearest("go work", "go.work")],
	}),
	dotnet: projectRunner({
		subcommands: "build test",
		flags: {
			// `-logger:x.dll` is an msbuild flag; msbuild has long names with one dash.
			oneDash: true,
			alone: "--no-restore --no-build --nologo --force --no-incremental --blame",
			text: "-c --configuration -v --verbosity --filter -f --framework --logger -l",
		},
		fetches: { unless: ["--no-restore", "--no-build"] },
		bindings: [
			nearest("dotnet props", "Directory.Build.props"),
			nearest("dotnet targets", "Directory.Build.targets"),
			nearest("dotnet", "global.json"),
			{
				kind: "dotnet",
				everywhere: ["*.sln", "*.slnx", "*.slnf", "*.csproj", "*.fsproj", "*.vbproj", "*.proj", "*.props", "*.targets", "*.rsp"],
				// Every build writes generated properties there.
				leaves: ["bin", "obj"],
			},
			{ kind: "dotnet sources", upwards: ["NuGet.config", "nuget.config", "NuGet.Config", "Directory.Packages.props"] },
		],
	}),
	mix: projectRunner({
		subcommands: "test compile format",
		writers: "format",
		flags: {
			alone: "--trace --failed --stale --cover --warnings-as-errors --force --check-formatted",
			text: "--only --exclude --include --seed --max-failures",
		},
		bindings: [nearest("mix", "mix.exs"), nearest("mix configuration", "config/config.exs")],
	}),
	flutter: projectRunner({
		subcommands: "test analyze",
		flags: { alone: "--coverage --no-pub --verbose -v", text: "--name --plain-name -n --reporter -r --concurrency -j" },
		fetches: { unless: ["--no-pub"] },
		bindings: [nearest("dart", "pubspec.yaml")],
	}),
	dart: projectRunner({
		subcommands: "test analyze format",
		writers: "format",
		flags: { alone: "--coverage --verbose -v", text: "--name --plain-name -n -N --reporter -r --concurrency -j" },
		fetches: { except: "format" },
		bindings: [nearest("dart", "pubspec.yaml")],
	}),
	swift: projectRunner({
		subcommands: "build test",
		flags: { alone: "--verbose -v --parallel --enable-code-coverage", text: "-c --configuration --filter --skip -j" },
		fetches: {},
		bindings: [nearest("swift", "Package.swift")],
	}),
};

function wrapper(program: string, judge: Assessor, files: readonly string[]): Assessor {
	return (call: Invocation) => {
		const assessed = judge({ ...call, words: [program, ...call.words.slice(1)] });
		const wrapperBinding: ApprovalBinding = { kind: `${program} wrapper`, files: [call.words[0] ?? "", ...files] };
		const bindings = [...(assessed.bindings ?? []), wrapperBinding];
		if (assessed.class === undefined) return { ...askForExactLine(call, assessed.asks ?? assessed.always ?? "", bindings) };
		const asks = t("{0} is a program in this workspace.", call.words[0] ?? program);
		return { ...assessed, asks, bindings, class: assessed.class.replace(program, call.words[0] ?? program) };
	};
}

/** Scripts in a project that start the version of a tool that the project needs. */
export const wrapperScripts: Readonly<Record<string, Assessor>> = {
	gradlew: wrapper("gradle", gradleTasks, ["gradle/wrapper/gradle-wrapper.properties"]),
	mvnw: wrapper("mvn", mavenTasks, [".mvn/wrapper/maven-wrapper.properties"]),
};
