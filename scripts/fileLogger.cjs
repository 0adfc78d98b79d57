// Stands in for @vscode/spdlog, VS Code's native logger, which isn't built in an install from npm: writes logs to files.

// Without it, "Troupe: Show Log" shows nothing, and a failed test has no log to keep.
const { appendFile, mkdirSync } = require("node:fs");
const { dirname } = require("node:path");

/** As spdlog numbers them. */
const LEVELS = ["trace", "debug", "info", "warn", "error", "critical"];
const NAMES = { warn: "warning" };

class Logger {
	constructor(file) {
		this.file = file;
		this.level = LEVELS.indexOf("info");
		this.isPlain = false;
		this.waiting = "";
		this.isWriting = false;
		mkdirSync(dirname(file), { recursive: true });
	}

	setLevel(level) {
		this.level = level;
	}

	clearFormatters() {
		this.isPlain = true;
	}

	setPattern() {}
	flush() {}
	drop() {}

	write(level, text) {
		if (level < this.level) return;
		const name = LEVELS[level];
		this.waiting += this.isPlain ? text : `${localTime()} [${NAMES[name] ?? name}] ${text}\n`;
		this.writeNext();
	}

	writeNext() {
		if (this.isWriting || this.waiting === "") return;
		const text = this.waiting;
		this.waiting = "";
		this.isWriting = true;
		appendFile(this.file, text, () => {
			this.isWriting = false;
			this.writeNext();
		});
	}
}
for (const [level, name] of LEVELS.entries())
	Logger.prototype[name] = function (text) {
		this.write(level, text);
	};

function localTime() {
	const now = new Date();
	const two = (value) => String(value).padStart(2, "0");
	const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join("-");
	const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(":");
	return `${day} ${time}.${String(now.getMilliseconds()).padStart(3, "0")}`;
}

exports.version = 0;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.Logger = Logger;
exports.createRotatingLogger = async (_name, file) => new Logger(file);
exports.createAsyncRotatingLogger = async (_name, file) => new Logger(file);
