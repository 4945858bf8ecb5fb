import type { html } from 'hono/html';

/** HTML with every value escaped, as `hono/html` makes it. */
export type Markup = ReturnType<typeof html>;
