// Why a turn is stopped: by the person, or because the window closes.
export const STOPPED = new DOMException("Stopped by the person", "AbortError");
export const CLOSED = new DOMException("The window closed", "AbortError");
