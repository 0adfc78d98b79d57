// Style sheets are imported for the bundler only.
declare module "*.css";
