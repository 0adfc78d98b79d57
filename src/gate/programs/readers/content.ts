// Programs that print what is in files.
import type { Programs } from "../table.ts";

export const content: Programs = {
	cat: {
		gnu: {
			flags: {
				alone:
					"-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs " +
					"--show-nonprinting --help --version",
			},
			operands: "tree",
		},
		bsd: { flags: { alone: "-b -e -l -n -s -t -u -v" }, operands: "tree" },
		busybox: { flags: { alone: "-n -b -v -t -e -A -u" }, operands: "tree" },
	},
};
