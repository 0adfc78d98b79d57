// Reads one job as JSON from stdin and writes its answer as JSON to stdout.

// Runs inside the jail.

export async function answerJob(jobs: Readonly<Record<string, (job: never) => Promise<unknown>>>): Promise<never> {
	let input = "";
	for await (const chunk of process.stdin) input += chunk;
	const { kind, job } = JSON.parse(input) as { kind: string; job: never };
	const work = jobs[kind];
	if (!work) throw new Error(`There is no job ${kind}.`);
	const answer = await work(job);
	await new Promise<void>((resolve) => {
		process.stdout.write(JSON.stringify(answer), () => resolve());
	});
	process.exit(0);
}
