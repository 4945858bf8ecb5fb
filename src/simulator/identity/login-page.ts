import { html } from 'hono/html';

/** Users that the page suggests. Any other address can be typed. */
const SUGGESTED_MAX = 100;

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 26rem; padding: 0 1rem; color: #1b1f24; }
h1 { font-size: 1.25rem; }
label { display: block; font-weight: 600; }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; margin: .25rem 0 1rem; border: 1px solid #8c959f; border-radius: 6px; }
button { font: inherit; padding: .5rem 1rem; border: 1px solid #8c959f; border-radius: 6px; background: #f6f8fa; cursor: pointer; }
button.main { background: #0969da; border-color: #0969da; color: #fff; }
.error { padding: .5rem .8rem; border-left: 4px solid #cf222e; background: #ffebe9; }
.note { color: #57606a; font-size: .875rem; }
`;

type Html = ReturnType<typeof html>;

/**
 * Allows no script and no content from other servers. There is no `form-action`: it would also
 * forbid the redirect after the form.
 */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
} as const;

async function page(title: string, content: Html): Promise<string> {
  const text = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`;
  // `html` returns a `String` object, which Node's streams refuse.
  return text.toString();
}

/** The login form: asks for the user and for the consent to pass the e-mail address on. */
export function loginPage(options: {
  readonly action: string;
  readonly emails: readonly string[];
  readonly email: string;
  readonly error: string | undefined;
}): Promise<string> {
  const { action, emails, email, error } = options;
  return page(
    'Log in to the custody core',
    html`<p>The custody core asks who you are. If you allow it, it learns your e-mail address.</p>
      ${error === undefined ? '' : html`<p class="error" role="alert">${error}</p>`}
      <form method="post" action="${action}">
        <label for="email">E-mail address</label>
        <input
          id="email"
          name="email"
          type="email"
          list="users"
          value="${email}"
          autocomplete="username"
          required
          autofocus
        />
        <datalist id="users">
          ${emails.slice(0, SUGGESTED_MAX).map((each) => html`<option value="${each}"></option>`)}
        </datalist>
        <button class="main" name="decision" value="allow">Log in and allow</button>
        <button name="decision" value="refuse" formnovalidate>Refuse</button>
      </form>
      <p class="note">
        This is the development identity provider of the simulated core. It asks for no password:
        whoever reaches it may log in as any user.
      </p>`,
  );
}

/** The page of a login that cannot continue. */
export function failurePage(message: string): Promise<string> {
  return page(
    'This login cannot continue',
    html`<p class="error" role="alert">${message}</p>
      <p>Start again on the page that you came from.</p>`,
  );
}
