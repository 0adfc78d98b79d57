// Re-exports the used parts of the YAML parser, so that a dynamic import stays tree-shakable.
export { isMap, LineCounter, parseDocument } from "yaml";
