// Re-exports the used part of the YAML parser, so that a dynamic import stays tree-shakable.
export { parseDocument } from "yaml";
