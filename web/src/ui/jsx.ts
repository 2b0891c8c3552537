/** What JSX compiles to (build.mjs injects it): the plain form packs about 1 kB smaller than the automatic one. */
export { Fragment, h } from 'preact';
