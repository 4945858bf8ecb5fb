import type { JSX } from 'hono/jsx/jsx-runtime';

/** HTML with every value escaped, from `hono/jsx` or `hono/html`. */
export type Markup = JSX.Element;
