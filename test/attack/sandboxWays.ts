// Sandbox escapes as programs for perl and bash; each prints OUT if it succeeds.

// Every Debian has perl.

export interface Way {
	name: string;
	/** For bash. `$OUTSIDE` is a file outside that must not be written, `$SECRET_FILE` one that must not be read. */
	script: string;
}

/** By processor: the numbers of the calls that perl makes itself. */
const numbers: Readonly<Record<string, Readonly<Record<string, number>>>> = {
	x64: {
		...{ mount: 165, umount2: 166, ptrace: 101, pivot_root: 155, chroot: 161, setns: 308, unshare: 272, mknod: 133, keyctl: 250 },
		...{ add_key: 248, request_key: 249, bpf: 321, perf_event_open: 298, userfaultfd: 323, open_by_handle_at: 304, socket: 41 },
		...{ kexec_load: 246, init_module: 175, iopl: 172, reboot: 169, syslog: 103, process_vm_readv: 310 },
	},
	arm64: {
		...{ mount: 40, umount2: 39, ptrace: 117, pivot_root: 41, chroot: 51, setns: 268, unshare: 97, mknod: 33, keyctl: 219 },
		...{ add_key: 217, request_key: 218, bpf: 280, perf_event_open: 241, userfaultfd: 282, open_by_handle_at: 265, socket: 198 },
		...{ kexec_load: 104, init_module: 105, iopl: 0, reboot: 142, syslog: 116, process_vm_readv: 270 },
	},
};

const call = numbers[process.arch] ?? {};
const shared = {
	clone3: 435,
	open_tree: 428,
	move_mount: 429,
	fsopen: 430,
	mount_setattr: 442,
	io_uring_setup: 425,
	pidfd_getfd: 438,
	pidfd_open: 434,
};

const MS = { remount: 32, bind: 4096, recursive: 16384, nosuid: 2, nodev: 4, private: 1 << 18, readOnly: 1 };
const NEW_USER = 0x10000000;
const NEW_MOUNT = 0x20000;

/** A call that must be refused: prints OUT and its result where it is not. */
function refused(name: string, ...words: (string | number)[]): Way {
	const number = call[name] ?? shared[name as keyof typeof shared];
	const program = `my @w = (${words.join(", ")}); my $r = syscall(${number}, @w); print $r == -1 ? "no: $!\\n" : "OUT $r\\n"`;
	return { name: `${name}(${words.join(", ")})`, script: `perl -e '${program}'` };
}

const text = (value: string) => `"${value.replaceAll("$", "\\$")}\\0"`;

export const ways: readonly Way[] = [
	// Mounts.
	refused("mount", 0, text("/"), 0, MS.remount | MS.bind | MS.nosuid | MS.nodev, 0),
	refused("mount", 0, text("/"), 0, MS.remount, 0),
	refused("mount", 0, text("/proc"), 0, MS.remount | MS.bind, 0),
	refused("mount", text("proc"), text("/tmp"), text("proc"), 0, 0),
	refused("mount", text("/"), text("/tmp"), 0, MS.bind | MS.recursive, 0),
	refused("mount", 0, text("/"), 0, MS.private | MS.recursive, 0),
	refused("umount2", text("/run"), 2),
	refused("umount2", text("/proc"), 2),
	refused("pivot_root", text("/tmp"), text("/tmp")),
	refused("open_tree", -100, text("/"), 1),
	refused("fsopen", text("tmpfs"), 0),
	refused("mount_setattr", -100, text("/"), 0, text("\\0".repeat(8)), 32),
	{
		name: "mount by its program",
		script: "mount -o remount,rw / && echo OUT; umount -l /run && echo OUT; mount -t tmpfs x /tmp && echo OUT",
	},
	{
		name: "what is hidden, umounted",
		script: 'umount "$HOME/.ssh" 2>/dev/null; umount -l "$HOME/.ssh" 2>/dev/null; cat "$SECRET_FILE" && echo OUT',
	},
	// Namespaces.
	refused("unshare", NEW_USER | NEW_MOUNT),
	refused("unshare", 0x20000000),
	refused("unshare", NEW_USER),
	refused("unshare", 0x40000000),
	refused("clone3", text("\\0".repeat(88)), 88),
	{
		name: "namespaces by programs",
		script: "unshare -Urm true && echo OUT; unshare -Un true && echo OUT; bwrap --unshare-user --bind / / true && echo OUT",
	},
	...["user", "mnt", "pid", "net"].map((kind) => ({
		name: `setns to ${kind} of the first process`,
		script: `perl -e 'for my $p (1, 2) { open(my $f, "<", "/proc/$p/ns/${kind}") or next; my $r = syscall(${call["setns"]}, fileno($f), 0); print $r == -1 ? "no: $!\\n" : "OUT\\n" }'`,
	})),
	{ name: "nsenter", script: "nsenter -t 1 -m true && echo OUT; nsenter -t 1 -a true && echo OUT" },
	refused("chroot", text("/proc/1/root")),
	refused("chroot", text("/tmp")),
	// The first process, and what the kernel shows of it.
	refused("ptrace", 16, 1, 0, 0),
	refused("ptrace", 0x4206, 1, 0, 0),
	refused("process_vm_readv", 1, text("\\0".repeat(16)), 1, text("\\0".repeat(16)), 1, 0),
	{
		name: "the memory of the first process",
		script: 'head -c 1 /proc/1/mem && echo OUT; perl -e \'open(my $f, "+<", "/proc/1/mem") and print "OUT\\n"\'',
	},
	{
		name: "a write through the root of another process",
		script:
			'for p in /proc/[0-9]*; do echo x > "$p/root$OUTSIDE" && echo OUT; echo x > "$p/root/etc/troupe-out" && echo OUT; (cd "$p/cwd" && cd / && echo x > etc/troupe-out) && echo OUT; done',
	},
	{ name: "a secret through the root of another process", script: 'for p in /proc/[0-9]*; do cat "$p/root$SECRET_FILE" && echo OUT; done' },
	{
		name: "descriptors of another process",
		script:
			'for f in /proc/[0-9]*/fd/*; do case "$(readlink "$f")" in /dev/*|pipe:*|socket:*|/proc/*|anon_inode:*|"") ;; *) echo "OUT $f $(readlink "$f")" ;; esac; done',
	},
	{
		name: "a descriptor taken from the first process",
		script: `perl -e 'my $p = syscall(${shared.pidfd_open}, 1, 0); for my $n (0..40) { my $r = syscall(${shared.pidfd_getfd}, $p, $n, 0); next if $r == -1; my $l = readlink("/proc/self/fd/$r"); print "OUT $l\\n" if $l =~ m{^/(?!dev/null|proc)} }'`,
	},
	// The kernel's settings.
	{
		name: "settings of the kernel",
		script:
			"for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/overcommit_memory /proc/sys/fs/protected_symlinks /proc/sys/kernel/hostname /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/power/state /sys/kernel/mm/transparent_hugepage/enabled; do [ -e $f ] || continue; (: >> $f) 2>/dev/null && echo OUT $f; done",
	},
	{
		name: "control groups",
		script:
			"find /sys/fs/cgroup -maxdepth 3 \\( -name release_agent -o -name cgroup.procs -o -name notify_on_release \\) 2>/dev/null | while read -r f; do (: >> $f) 2>/dev/null && echo OUT $f; done; mkdir /sys/fs/cgroup/troupe && echo OUT",
	},
	refused("bpf", 0, 0, 0),
	refused("perf_event_open", 0, 0, -1, -1, 0),
	refused("userfaultfd", 0),
	refused("io_uring_setup", 4, text("\\0".repeat(120))),
	refused("init_module", 0, 0, text("")),
	refused("kexec_load", 0, 0, 0, 0),
	refused("syslog", 3, text("\\0".repeat(64)), 64),
	refused("open_by_handle_at", -100, text("\\0".repeat(16)), 0),
	// Devices.
	...(process.arch === "x64"
		? [refused("mknod", text("/tmp/disk"), 0o60666, 0xfe00), refused("mknod", text("/tmp/kmsg"), 0o20666, 0x10b)]
		: []),
	{
		name: "devices",
		script:
			"mknod /tmp/d b 254 0 && echo OUT; for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg /dev/kvm /dev/fuse /dev/vsock; do head -c 1 $d && echo OUT $d; done",
	},
	// Keys.
	refused("keyctl", 0, -3, 0),
	refused("keyctl", 1, text("troupe")),
	refused("add_key", text("user"), text("troupe"), text("x"), 1, -3),
	refused("request_key", text("user"), text("troupe"), 0, -3),
	// The terminal.
	{
		name: "typing into a terminal",
		script: `perl -e 'my $c = "x"; for my $d ("/dev/tty", glob("/dev/pts/[0-9]*"), "/dev/ptmx") { open(my $f, "+<", $d) or next; print "OUT $d\\n" if ioctl($f, 0x5412, $c) }; for my $n (0..2) { open(my $f, "+<&=", $n); print "OUT $n\\n" if ioctl($f, 0x5412, $c) }'`,
	},
	{
		name: "typing with the upper half of the request set",
		script: `perl -e 'open(my $f, "+<", "/dev/ptmx") or exit; my $r = syscall(${process.arch === "x64" ? 16 : 29}, fileno($f), 0x100005412, "x"); print $r == -1 ? "no: $!\\n" : "OUT\\n"'`,
	},
	// Other networks than its own.
	...([40, 17, 38, 31, 29] as const).map((family) => refused("socket", family, 1, 0)),
	...(process.arch === "x64"
		? [
				{
					name: "calls of the other kind (x32)",
					script: `perl -e 'my $r = syscall(0x40000000 + 41, 1, 1, 0); print $r == -1 ? "no: $!\\n" : "OUT\\n"; $r = syscall(0x40000000 + 165, 0, "/\\0", 0, 4128, 0); print $r == -1 ? "no: $!\\n" : "OUT\\n"'`,
				},
			]
		: []),
	// More rights.
	{
		name: "programs with more rights",
		script:
			'for p in su sudo newgrp passwd mount pkexec; do f=$(type -P $p) && [ -u "$f" ] && echo "seen $f"; done; perl -e \'$> = 0; $) = 0; syscall(105, 0); print "OUT\\n" if -w "/etc/passwd" and open(my $f, ">>", "/etc/passwd")\'',
	},
	{
		name: "a core file",
		script: "ulimit -c unlimited 2>/dev/null && echo OUT; (kill -SEGV $BASHPID); ls /tmp/core* 2>/dev/null && echo OUT",
	},
	{
		name: "a hard link to what lies outside",
		script: 'ln "$OUTSIDE" ./hard && echo x >> ./hard && echo OUT; ln "$OUTSIDE" /tmp/hard && echo x >> /tmp/hard && echo OUT',
	},
	{
		name: "a link to what lies outside",
		script:
			'ln -s "$OUTSIDE" ./soft 2>/dev/null; ln -s "$OUTSIDE" /tmp/soft; echo x >> ./soft && echo OUT; echo x >> /tmp/soft && echo OUT',
	},
];
