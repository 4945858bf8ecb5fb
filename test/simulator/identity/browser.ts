/** The page at which the redirects of a visit end. */
export interface VisitedPage {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const REDIRECTS_MAX = 10;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** A browser without scripts: one cookie jar for this machine, redirects followed one by one. */
export class Browser {
  /** Cookies by name and path, which together identify a cookie (RFC 6265, section 5.3). */
  readonly #jar = new Map<string, Cookie>();

  /** Follows every redirect. */
  async visit(
    address: string,
    form?: Readonly<Record<string, string>>,
    options: { readonly until?: (next: URL) => boolean } = {},
  ): Promise<VisitedPage> {
    let url = new URL(address);
    let body = form === undefined ? undefined : new URLSearchParams(form);
    for (let redirects = 0; redirects < REDIRECTS_MAX; redirects += 1) {
      const response = await this.#send(url, body);
      const location = response.headers.get('location');
      const next = location === null ? undefined : new URL(location, url);
      if (next === undefined || options.until?.(next) === true) {
        const { status, headers } = response;
        return { url: next ?? url, status, headers, text: await response.text() };
      }
      await response.body?.cancel();
      url = next;
      body = undefined;
    }
    throw new Error(`more than ${REDIRECTS_MAX} redirects from ${address}`);
  }

  forgetCookies(): void {
    this.#jar.clear();
  }

  async #send(url: URL, body: URLSearchParams | undefined): Promise<Response> {
    const cookies = [...this.#jar.values()]
      .filter(({ path }) => url.pathname === path || url.pathname.startsWith(slashed(path)))
      .map(({ name, value }) => `${name}=${value}`);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: cookies.join('; ') },
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/; */);
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(pair.indexOf('=') + 1);
    const path = attributes.find((each) => /^path=/i.test(each))?.slice('path='.length) ?? '/';
    const key = `${name};${path}`;
    if (value === '') this.#jar.delete(key);
    else this.#jar.set(key, { name, value, path });
  }
}

function slashed(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
