/** Texts of docs/ that the page shows; the build copies them beside src/. */
declare module '*.md' {
  const text: string;
  export default text;
}
