// Why a turn is stopped: by the person, or because the window closes.
export const STOPPED_BY_USER = new DOMException("Stopped by the person", "AbortError");
export const WINDOW_CLOSED = new DOMException("The window closed", "AbortError");
