import { randomBytes } from 'node:crypto';
import { ok, problem, warning, type Diagnosis } from '../diagnosis.ts';
import { linesFor, proxyIn, type ProxyTask } from './proxy-lines.ts';
import { sendRaw, type Ending, type Target } from './raw-request.ts';

/** The custody service gives up after 10 s. */
const SERVICE_MS_MAX = 10_000;

const HUGE_BODY_BYTES = 1_073_741_824;

/** The daemon's answer to an unknown token, once it has accepted the certificate. */
const UNKNOWN_TOKEN = 404;

/** Every header that can carry a certificate, also with underscores. */
const FORGED_HEADERS = [
  'Client-Cert: :Zm9yZ2Vk:',
  'Client-Cert-Chain: :Zm9yZ2Vk:',
  'X-Client-Certificate: forged',
  'X-Client-Certificate-DER: Zm9yZ2Vk',
  'X-Forwarded-Client-Cert: Hash=00;Cert="forged"',
  'client_cert: :Zm9yZ2Vk:',
  'x_client_certificate: forged',
  'x_forwarded_client_cert: Hash=00;Cert="forged"',
] as const;

/** Pages that are for nobody outside, and ways to spell them around a proxy's rule for `/hooks/`. */
const INNER_PATHS = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/v1/balances',
  '/console',
  '/docs',
  '/openapi.json',
  '//metrics',
  '/%6detrics',
  '/hooks/../metrics',
  '/hooks/%2e%2e/metrics',
  '/hooks/..%2fmetrics',
  '/hooks/x/../../metrics',
  '/hooks/../v1/balances',
] as const;

export interface ProxyUnderTrial {
  readonly url: URL;
  /** Ports that must not serve plain HTTP: the proxy's own, and the daemon's. */
  readonly plainPorts: readonly number[];
  readonly ca?: Buffer;
  /** A certificate that the proxy accepts. */
  readonly pair?: { readonly cert: Buffer; readonly key: Buffer };
  /** The path token, for bodies that stall: the daemon does not read those of unknown tokens. */
  readonly token?: string;
}

/** The requests of one trial, and what this run learns on the way. */
class Trial {
  readonly subject: ProxyUnderTrial;
  /** A path token that the daemon does not know: nothing of these requests is kept. */
  readonly strange = randomBytes(24).toString('hex');
  readonly #host: string;
  readonly #port: number;
  #proxy: ReturnType<typeof proxyIn> = null;

  constructor(subject: ProxyUnderTrial) {
    this.subject = subject;
    // A URL has brackets around an IPv6 address.
    this.#host = subject.url.hostname.replace(/^\[(.*)\]$/, '$1');
    this.#port = subject.url.port === '' ? 443 : Number(subject.url.port);
  }

  /** With the given certificate, if there is one and the trial is not about its absence. */
  async ask(text: string, options: { readonly withPair?: boolean } = {}): Promise<Ending> {
    const { ca, pair } = this.subject;
    const own = options.withPair === false ? {} : (pair ?? {});
    const tls = { ...(ca === undefined ? {} : { ca }), ...own };
    return this.#send({ host: this.#host, port: this.#port, tls }, text);
  }

  async askPlainly(port: number, text: string): Promise<Ending> {
    return this.#send({ host: this.#host, port }, text);
  }

  get port(): number {
    return this.#port;
  }

  advice(task: ProxyTask): string {
    return linesFor(task, this.#proxy);
  }

  request(method: string, path: string, headers: readonly string[] = [], body = ''): string {
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const lines = [`${method} ${path} HTTP/1.1`, `Host: ${this.subject.url.host}`];
    return [...lines, 'Connection: close', length, ...headers, '', body].join('\r\n');
  }

  async #send(target: Target, text: string): Promise<Ending> {
    const ending = await sendRaw(target, text);
    this.#proxy ??= proxyIn(ending.text);
    return ending;
  }
}

/** Whether the daemon itself wrote this answer: a proxy that does its task asks it nothing. */
function isFromDaemon({ text }: Ending): boolean {
  return /counterfoil|\r\n\r\n\{"status":"(alive|ready|starting|stopping)"/i.test(text);
}

/** What a proxy answers that accepted the sender and did not reach the daemon. */
const UNREACHED = new Set([502, 503, 504]);

function isTaken({ status }: Ending): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** An ending in words: the status and its author, or the error. */
function shown(ending: Ending): string {
  if (ending.status === null) return ending.error ?? 'the connection ended without an answer';
  return `${ending.status} from ${isFromDaemon(ending) ? 'the daemon' : 'the proxy'}`;
}

/** Tries a proxy from outside. Delivers nothing: the daemon keeps no record of these requests. */
export async function checkProxy(subject: ProxyUnderTrial): Promise<Diagnosis[]> {
  const trial = new Trial(subject);
  const connection = await checkConnection(trial);
  if (connection.status === 'problem') return [connection, await checkPlain(trial)];
  const others = await Promise.all([
    checkNoCertificate(trial),
    checkDelivery(trial),
    checkForgedHeaders(trial),
    checkPaths(trial),
    checkPlain(trial),
    checkTime(trial),
  ]);
  return [connection, ...others];
}

/** Codes of Node about the server's own certificate. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/;

/** Codes about our certificate: the proxy accepted the connection, and then ended it. */
const ASKS_FOR_ONE = /^ERR_SSL|ECONNRESET|EPIPE/;

async function checkConnection(trial: Trial): Promise<Diagnosis> {
  const ending = await trial.ask(trial.request('GET', '/'));
  const { host } = trial.subject.url;
  const error = ending.error ?? '';
  if (ending.status !== null || ASKS_FOR_ONE.test(error)) {
    return ok('TLS', `${host} answers, and its certificate is trusted`);
  }
  const detail = UNTRUSTED.test(error)
    ? `the certificate of ${host} is not trusted (${error}): the custody service will not deliver; give --ca if your authority is private`
    : `no connection to ${host} (${shown(ending)})`;
  return problem('TLS', detail);
}

async function checkNoCertificate(trial: Trial): Promise<Diagnosis> {
  const text = trial.request('POST', `/hooks/${trial.strange}`);
  const ending = await trial.ask(text, { withPair: false });
  if (!isFromDaemon(ending) && !isTaken(ending)) {
    return ok('no certificate', `refused: ${shown(ending)}`);
  }
  return problem(
    'no certificate',
    `a request without a client certificate got through (${shown(ending)}): ${trial.advice('certificate')}`,
  );
}

async function checkDelivery(trial: Trial): Promise<Diagnosis> {
  if (trial.subject.pair === undefined) {
    return warning('delivery', 'not tried: give a certificate that the proxy accepts, with --cert');
  }
  const ending = await trial.ask(trial.request('POST', `/hooks/${trial.strange}`));
  if (isFromDaemon(ending)) {
    return ending.status === UNKNOWN_TOKEN
      ? ok('delivery', 'requests with the certificate reach the daemon')
      : warning(
          'delivery',
          `requests reach the daemon, which refuses this certificate (${ending.status}): its log has the reason`,
        );
  }
  const cause = UNREACHED.has(ending.status ?? 0)
    ? "the daemon is down, the proxy has another address of it, or the proxy's user may not open its socket"
    : "check the proxy's address of the daemon, and which authority it verifies";
  return problem(
    'delivery',
    `a request with the certificate does not reach the daemon (${shown(ending)}): ${cause}`,
  );
}

/** Without a certificate, a forged header must not help. Beside one, the proxy must replace it. */
async function checkForgedHeaders(trial: Trial): Promise<Diagnosis> {
  const deliver = (headers: readonly string[], withPair: boolean): Promise<Ending> =>
    trial.ask(trial.request('POST', `/hooks/${trial.strange}`, headers), { withPair });
  const helped: string[] = [];
  for (const header of FORGED_HEADERS) {
    const ending = await deliver([header, header], false);
    if (isFromDaemon(ending) || isTaken(ending)) helped.push(nameOf(header));
  }
  if (helped.length > 0) {
    return problem(
      'forged headers',
      `requests without a certificate got through with ${helped.join(', ')}: ${trial.advice('certificate')}`,
    );
  }
  const refused = 'refused without a certificate';
  if (trial.subject.pair === undefined) {
    return ok('forged headers', `${refused}; beside one: not tried without --cert`);
  }
  const usual = await deliver([], true);
  if (usual.status !== UNKNOWN_TOKEN || !isFromDaemon(usual)) {
    const detail = `${refused}; beside this one: not tried, because the daemon does not accept it (${shown(usual)})`;
    return warning('forged headers', detail);
  }
  const through: string[] = [];
  for (const header of FORGED_HEADERS) {
    const ending = await deliver([header, header], true);
    if (ending.status !== UNKNOWN_TOKEN) through.push(nameOf(header));
  }
  return through.length === 0
    ? ok('forged headers', `${refused}, and removed beside one`)
    : problem(
        'forged headers',
        `the proxy hands these headers of a sender on: ${through.join(', ')}: ${trial.advice('headers')}`,
      );
}

function nameOf(header: string): string {
  return header.slice(0, header.indexOf(':'));
}

async function checkPaths(trial: Trial): Promise<Diagnosis> {
  const hook = `hooks/${trial.strange}`;
  const spelled = [`//${hook}`, `/%68${hook.slice(1)}`, `/./${hook}`, `/x/../${hook}`];
  const open: string[] = [];
  for (const path of [...INNER_PATHS, ...spelled]) {
    const method = path.endsWith(hook) || path.endsWith(hook.slice(1)) ? 'POST' : 'GET';
    const ending = await trial.ask(trial.request(method, path));
    // Nobody outside knows the token of the trial, and so it may be shown.
    if (isFromDaemon(ending) || isTaken(ending)) open.push(`${path} (${shown(ending)})`);
  }
  if (open.length > 0) {
    return problem('paths', `these are open: ${open.join(', ')}: ${trial.advice('path')}`);
  }
  const how = trial.subject.pair === undefined ? ' (without a certificate)' : '';
  return ok('paths', `only /hooks/ is open, in one spelling${how}`);
}

/** What a plain port gives: a sender that uses it by mistake sends the token in clear text. */
async function checkPlain(trial: Trial): Promise<Diagnosis> {
  const open: string[] = [];
  for (const port of [trial.port, ...trial.subject.plainPorts]) {
    const text = trial.request('POST', `/hooks/${trial.strange}`);
    const ending = await trial.askPlainly(port, text);
    const redirects = ending.status !== null && ending.status >= 300 && ending.status < 400;
    if (isFromDaemon(ending)) open.push(`port ${port} reaches the daemon without TLS`);
    else if (isTaken(ending)) open.push(`port ${port} answers ${ending.status} without TLS`);
    else if (redirects) open.push(`port ${port} redirects, after it has received the token`);
  }
  return open.length === 0
    ? ok('plain HTTP', 'no port takes webhooks without TLS')
    : problem(
        'plain HTTP',
        `${open.join('; ')}: ${trial.advice('plain')}; and set listen.host to an internal address`,
      );
}

/** Requests that stall, and one that announces a huge body. */
async function checkTime(trial: Trial): Promise<Diagnosis> {
  const path = `/hooks/${trial.subject.token ?? trial.strange}`;
  const whole = trial.request('POST', path, [], '{}');
  const announced = (bytes: number): string =>
    whole.replace('Content-Length: 2', `Content-Length: ${bytes}`);
  const kinds: [what: string, text: string, task: ProxyTask][] = [
    ['a request whose headers stall', whole.slice(0, whole.indexOf('Connection')), 'time'],
    ['a request whose body stalls', announced(3), 'time'],
    ['a body of 1 GiB', announced(HUGE_BODY_BYTES), 'size'],
  ];
  const endings = await Promise.all(
    kinds.map(async ([what, text, task]) => ({ what, task, ending: await trial.ask(text) })),
  );
  const lost = endings.filter(({ ending }) => isTaken(ending));
  if (lost.length > 0) {
    const texts = lost.map(
      ({ what, task, ending }) =>
        `${what} is answered ${ending.status}, and its webhook is lost: ${trial.advice(task)}`,
    );
    return problem('slow and large requests', texts.join('; '));
  }
  const late = endings.filter(({ ending }) => ending.waits || ending.tookMs > SERVICE_MS_MAX);
  return late.length === 0
    ? ok('slow and large requests', 'ended before the custody service gives up')
    : warning(
        'slow and large requests',
        late
          .map(({ what, task }) => `${what} is not ended within 10 s: ${trial.advice(task)}`)
          .join('; '),
      );
}
