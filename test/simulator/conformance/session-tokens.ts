import { z } from 'zod';
import { textOf } from '../call.ts';
import type { Stage } from './stage.ts';

const mails = z.object({ data: z.array(z.looseObject({ code: z.string() })) });
const tokens = z.object({ accessToken: z.string(), refreshToken: z.string() });
export type SessionTokens = z.infer<typeof tokens>;

/** The newest code in the mailbox of this address. */
export async function mailedCode(stage: Stage, email: string): Promise<string> {
  const box = mails.parse(
    await stage.sim('GET', `/sim/mailbox?email=${encodeURIComponent(email)}`),
  );
  const code = box.data.at(-1)?.code;
  if (code === undefined) throw new Error(`no mail to ${email}`);
  return code;
}

/** Logs in with an e-mail code (the specification, section "Session tokens", 1 and 2). */
export async function logIn(stage: Stage, email: string): Promise<SessionTokens> {
  await stage.anyone('POST', '/auth/login-code/request', { body: { email } });
  const body = { email, code: await mailedCode(stage, email) };
  return tokens.parse((await stage.anyone('POST', '/auth/login-code/verify', { body })).body);
}

/**
 * Logs in at the identity provider (the specification, section "Session tokens", 3), like a browser
 * that keeps cookies and fills in the provider's form. Returns the answer of the callback.
 */
export async function logInAtProvider(stage: Stage, email: string) {
  const callback = encodeURIComponent('http://127.0.0.1:3000/callback');
  const browser = new Browser(stage);
  let page = await browser.get(`${stage.proxy.url}/api/v1/auth/login?callback_url=${callback}`);
  const consent = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
  if (consent === undefined) throw new Error(`no form: ${page.status} ${page.text}`);
  page = await browser.post(new URL(consent, page.url).href, { email, decision: 'allow' });
  return { ...page, last: browser.visited.at(-1) ?? '', replay: () => browser.again() };
}

interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/** A minimal browser: cookies by host, and redirects. Calls of the core go through the proxy. */
class Browser {
  readonly visited: string[] = [];
  readonly #stage: Stage;
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get(url: string): Promise<Page> {
    return this.#go(url, { method: 'GET' });
  }

  post(url: string, form: Record<string, string>): Promise<Page> {
    return this.#go(url, { method: 'POST', body: new URLSearchParams(form) });
  }

  /** Requests the last page again, like the reload button. */
  again(): Promise<Page> {
    return this.get(this.visited.at(-1) ?? '');
  }

  async #go(address: string, request: RequestInit): Promise<Page> {
    const url = address.replace(this.#stage.core.url, this.#stage.proxy.url);
    this.visited.push(url);
    const origin = new URL(url).origin;
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...request, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = response.headers.get('location');
    const text = await response.text();
    if (location === null) return { url, status: response.status, text };
    return this.get(new URL(location, url).href);
  }
}

/** Creates a user who can log in by e-mail; the client's id. */
export async function newUser(stage: Stage, email: string, permissions: string[] = []) {
  const request = { name: 'human', type: 'user', email, permissions };
  return textOf(await stage.sim('POST', '/sim/clients', request), 'clientId');
}
