import type { html } from 'hono/html';

/** HTML with every value escaped, from `hono/html`. */
export type Markup = ReturnType<typeof html>;
