// An extension that does nothing: what an extension host weighs without us.
exports.activate = () => undefined;
