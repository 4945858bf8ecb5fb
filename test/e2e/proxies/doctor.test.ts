import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAuthority, type Authority } from '../../tls/authority.ts';
import { freePort, runProgram } from '../program.ts';
import { DaemonBehindProxy } from './daemon-behind-proxy.ts';
import { isInstalled, PROXIES, startProxy, type ProxyName } from './proxy.ts';

let authority: Authority;
let daemons: Map<ProxyName, DaemonBehindProxy>;

interface Diagnoses {
  readonly sound: boolean;
  readonly diagnoses: readonly { check: string; status: string; detail: string }[];
}

interface Found {
  readonly name: ProxyName;
  readonly code: number | null;
  readonly said: Diagnoses;
}

type Change = readonly [pattern: RegExp, text: string];

/** In a change: a port that must not answer. */
const PLAIN_PORT = 'PLAIN_PORT';

/** What doctor says about a proxy whose example was changed. */
async function doctor(name: ProxyName, changes: readonly Change[] = []): Promise<Found> {
  const daemon = daemons.get(name);
  if (daemon === undefined) throw new Error(`${name} is not installed`);
  const plainPort = `${await freePort()}`;
  const proxy = await startProxy(name, {
    authority,
    daemon: Number(new URL(daemon.url).port),
    changes: changes.map(([from, to]) => [from, to.replace(PLAIN_PORT, plainPort)]),
  });
  const file = (one: string): string => join(authority.folder, one);
  const url = ['--proxy', `https://localhost:${proxy.port}`, '--plain-port', plainPort];
  const tls = ['--ca', file('ca.pem'), '--cert', file('valid.pem'), '--key', file('valid.key')];
  // A right proxy may wait for the daemon, which ends a body that stalls after 30 s.
  const token = changes.length === 0 ? [] : ['--token-file', join(daemon.folder, 'token')];
  const { code, stdout } = await runProgram('doctor', ...url, ...tls, ...token, '--json');
  await proxy.end();
  return { name, code, said: JSON.parse(stdout) as Diagnoses };
}

function statusesOf({ diagnoses }: Diagnoses): Record<string, string> {
  return Object.fromEntries(diagnoses.map(({ check, status }) => [check, status]));
}

/** A proxy's file with a mistake, what doctor says of it, and the line that it names. */
const MISTAKES: [ProxyName, string, readonly Change[], check: string, line: RegExp][] = [
  [
    'nginx',
    'nothing listens at the address of the daemon',
    [[/server 127\.0\.0\.1:\d+;/g, 'server 127.0.0.1:1;']],
    'delivery',
    /502 from the proxy\): the daemon is down, the proxy has another address of it, or the proxy's user may not open its socket$/,
  ],
  [
    'nginx',
    'certificates are optional',
    [[/ssl_verify_client on/g, 'ssl_verify_client optional']],
    'no certificate',
    /got through .*nginx: ssl_verify_client on/,
  ],
  [
    'haproxy',
    'certificates are optional',
    [[/verify required/g, 'verify optional']],
    'no certificate',
    /got through .*HAProxy: `ca-file … verify required`/,
  ],
  [
    'caddy',
    'certificates are optional',
    [[/require_and_verify/g, 'verify_if_given']],
    'no certificate',
    /got through .*Caddy: client_auth/,
  ],
  [
    'nginx',
    'every path is open',
    [
      [/if \(\$is_hook = 0\)/g, 'if ($is_hook = 2)'],
      [/limit_except POST/g, 'limit_except GET POST'],
    ],
    'paths',
    /\/metrics \(200 from the daemon\).*nginx: map \$request_uri/,
  ],
  [
    'haproxy',
    'paths are compared by their beginning',
    [
      [/path_reg \^\/hooks\/\S+/g, 'path_beg /hooks/'],
      [/if !\{ method POST \}/g, 'if { method PUT }'],
    ],
    'paths',
    /\/hooks\/\.\.\/metrics \(200 from the daemon\).*HAProxy: acl is_hook/,
  ],
  [
    'caddy',
    'bodies have a time limit',
    [[/read_header 5s/g, 'read_header 5s\n\t\t\tread_body 2s']],
    'slow and large requests',
    /body stalls is answered 200, and its webhook is lost: .*Caddy: .*no read_body/,
  ],
  [
    'nginx',
    'a header of another form is handed on',
    [[/proxy_set_header Client-Cert "";/g, '']],
    'forged headers',
    /hands these headers of a sender on: Client-Cert: .*nginx: proxy_set_header/,
  ],
  [
    'haproxy',
    'headers are added to those of a sender',
    [
      [/http-request del-header.*$/gm, ''],
      [/http-request set-header Client-Cert/g, 'http-request add-header Client-Cert'],
    ],
    'forged headers',
    /on: Client-Cert, .*, client_cert, .*HAProxy: http-request del-header/,
  ],
  [
    'caddy',
    'names with underscores are handed on',
    [[/header_up -\*_\*/g, '']],
    'forged headers',
    /on: client_cert, x_client_certificate, x_forwarded_client_cert: .*Caddy: header_up/,
  ],
  [
    'nginx',
    'plain HTTP is redirected',
    [
      [
        /^ {2}server \{/gm,
        `  server { listen 127.0.0.1:${PLAIN_PORT}; return 301 https://$host$request_uri; }\n  server {`,
      ],
    ],
    'plain HTTP',
    /port [0-9]+ redirects, after .*nginx: no `listen 80`/,
  ],
];

/** Every run waits for requests that stall, and so all of them wait together. */
let right: Promise<readonly Found[]>;
let mistaken: Promise<readonly Found[]>;

beforeAll(async () => {
  authority = makeAuthority();
  const installed = PROXIES.filter(isInstalled);
  daemons = new Map(installed.map((name) => [name, new DaemonBehindProxy(name, { authority })]));
  for (const daemon of daemons.values()) {
    await daemon.start();
    writeFileSync(join(daemon.folder, 'token'), daemon.pathTokens[0]);
  }
  right = Promise.all(installed.map((name) => doctor(name)));
  const tried = MISTAKES.filter(([name]) => isInstalled(name));
  mistaken = Promise.all(tried.map(([name, , changes]) => doctor(name, changes)));
});

afterAll(async () => {
  await Promise.allSettled([right, mistaken]);
  for (const daemon of daemons.values()) await daemon.remove();
  authority.remove();
});

const HAS_PROXY = PROXIES.some(isInstalled);

test.skipIf(!HAS_PROXY)('doctor --proxy finds nothing wrong with the examples', async () => {
  const found = await right;
  expect(found.map(({ name }) => name)).toEqual(PROXIES.filter(isInstalled));
  for (const { name, code, said } of found) {
    expect([name, code, statusesOf(said)]).toEqual([
      name,
      0,
      {
        TLS: 'ok',
        'no certificate': 'ok',
        delivery: 'ok',
        'forged headers': 'ok',
        paths: 'ok',
        'plain HTTP': 'ok',
        'slow and large requests': 'ok',
      },
    ]);
  }
});

test.skipIf(!HAS_PROXY)('it names each mistake and the line to change', async () => {
  const found = await mistaken;
  const tried = MISTAKES.filter(([name]) => isInstalled(name));
  expect(found.length).toBe(tried.length);
  for (const [at, [name, mistake, , check, line]] of tried.entries()) {
    const one = found[at];
    const diagnosis = one?.said.diagnoses.find((each) => each.check === check);
    const seen = [one?.name, mistake, one?.code, one?.said.sound, diagnosis?.status];
    expect(seen).toEqual([name, mistake, 1, false, 'problem']);
    expect(diagnosis?.detail).toMatch(line);
  }
});

test.skipIf(!HAS_PROXY)('it leaves no record of its requests', async () => {
  await Promise.all([right, mistaken]);
  expect(daemons.size).toBeGreaterThan(0);
  for (const daemon of daemons.values()) {
    expect(await daemon.get('/v1/quarantine')).toMatchObject({ data: [] });
    expect(await daemon.get('/v1/notifications')).toMatchObject({ data: [] });
  }
});

test.for([
  [[], /either --config FILE or --proxy URL/],
  [['--proxy', 'https://x', '--config', 'y'], /either --config FILE or --proxy URL/],
  [['--proxy', 'http://x'], /--proxy needs an https address/],
  [['--proxy', 'https://x', '--plain-port', 'y'], /--plain-port takes numbers/],
  [
    ['--proxy', 'https://x', '--token-file', '/nowhere'],
    /\/nowhere does not exist; check the path/,
  ],
] as const)('doctor %j is bad usage', async ([args, message]) => {
  const { code, stderr } = await runProgram('doctor', ...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
