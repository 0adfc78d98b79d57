// What we use of the YAML parser, in a file of its own: a bundle knows the names in it only where they are imported by name.
export { parseDocument } from "yaml";
