import { join } from 'node:path';
import { isInstalled, startProxy } from '../../e2e/proxies/proxy.ts';
import { makeAuthority, type Authority } from '../../tls/authority.ts';
import { figure, markdown } from '../figures/table.ts';
import { medianOf, medianOrNull } from '../figures/median.ts';
import { inFolder } from '../folder.ts';
import { cpuSecondsOf } from '../load/cpu.ts';
import { faultsIn, load, orderOf } from '../load/generator.ts';
import type { LoadResult } from '../load/load.ts';
import type { Plan } from '../plan.ts';
import { startDaemon } from '../server/daemon.ts';
import type { SuiteResult } from './suite.ts';

const CONNECTIONS = 256;

/** The proxy before the daemon. */
const FRONTS = ['nothing', 'nginx without TLS', 'nginx with mTLS'] as const;
type Front = (typeof FRONTS)[number];

/** Makes the example of nginx speak plain HTTP and ask for no certificate. */
const WITHOUT_TLS = [
  [/(listen 127\.0\.0\.1:[0-9]+) ssl/g, '$1'],
  [/ssl_verify_client on/g, 'ssl_verify_client off'],
] as const;

interface Measured {
  readonly front: Front;
  readonly round: number;
  readonly seen: LoadResult;
  /** CPU time of nginx for each answer, warm-up included; null without it. */
  readonly proxyMicros: number | null;
}

async function measure(
  { front, round }: Pick<Measured, 'front' | 'round'>,
  plan: Plan,
  authority: Authority,
): Promise<Measured> {
  return inFolder(async (folder) => {
    const { program, profile } = plan;
    const hasTls = front === 'nginx with mTLS';
    const daemon = await startDaemon({
      program,
      profile,
      folder,
      storePath: join(folder, 'store.db'),
      ...(hasTls
        ? { clientCertificate: { form: 'escaped-pem', pins: [authority.pinOf('valid')] } }
        : {}),
    });
    const target = new URL(daemon.hooksUrl);
    const proxy =
      front === 'nothing'
        ? null
        : await startProxy('nginx', {
            authority,
            daemon: Number(target.port),
            changes: hasTls ? [] : WITHOUT_TLS,
          });
    try {
      const url =
        proxy === null
          ? daemon.hooksUrl
          : `${hasTls ? 'https' : 'http'}://127.0.0.1:${proxy.port}${target.pathname}`;
      const pair = hasTls ? authority.pairOf('valid') : null;
      const order = orderOf(plan, { connections: CONNECTIONS, url, pid: daemon.pid, pair });
      const before = proxy === null ? null : cpuSecondsOf(proxy.pid);
      const seen = await load(order);
      const after = proxy === null ? null : cpuSecondsOf(proxy.pid);
      const answers = seen.firsts + seen.repeats;
      const proxyMicros =
        before === null || after === null ? null : ((after - before) / answers) * 1_000_000;
      console.error(`round ${round}  ${front}  ${seen.requestsPerSecond.toFixed(0)} requests/s`);
      return { front, round, seen, proxyMicros };
    } finally {
      await proxy?.end();
      await daemon.end();
    }
  });
}

/** What a proxy with mTLS costs: all three in turn, in every round. */
export async function measureProxy(plan: Plan): Promise<SuiteResult> {
  if (!isInstalled('nginx')) {
    return { text: 'skipped: nginx is not installed', figures: null, defects: [] };
  }
  const authority = makeAuthority();
  const all: Measured[] = [];
  try {
    for (let round = 1; round <= plan.rounds; round += 1) {
      const inOrder = round % 2 === 1 ? FRONTS : FRONTS.toReversed();
      for (const front of inOrder) all.push(await measure({ front, round }, plan, authority));
    }
  } finally {
    authority.remove();
  }
  /** Requests a second without a proxy, in the same round. */
  const bare = (round: number): number =>
    all.find((one) => one.front === 'nothing' && one.round === round)?.seen.requestsPerSecond ?? 0;
  const lines = FRONTS.map((front) => {
    const measured = all.filter((one) => one.front === front);
    const own = measured.map(({ seen }) => seen);
    const ratios = measured.map(({ round, seen }) => seen.requestsPerSecond / bare(round));
    const median = (of: (seen: LoadResult) => number): number => medianOf(own.map(of));
    const daemonMicros = own.map(({ serverCores, requestsPerSecond }) =>
      serverCores === null ? null : (serverCores / requestsPerSecond) * 1_000_000,
    );
    return [
      front,
      figure(medianOf(ratios), 2),
      figure(
        median((seen) => seen.requestsPerSecond),
        0,
      ),
      figure(
        median((seen) => seen.p50Ms),
        1,
      ),
      figure(
        median((seen) => seen.p99Ms),
        1,
      ),
      figure(medianOrNull(daemonMicros), 0),
      figure(medianOrNull(measured.map(({ proxyMicros }) => proxyMicros)), 0),
      figure(medianOrNull(own.map(({ otherCores }) => otherCores)), 2),
    ];
  });
  const head = ['in front', 'of nothing', 'requests/s', 'p50 ms', 'p99 ms'];
  const cpu = ['daemon µs/request', 'nginx µs/request', 'other cores'];
  const text = `${CONNECTIONS} connections\n\n${markdown([...head, ...cpu], lines)}`;
  const defects = all.flatMap(({ front, round, seen }) =>
    faultsIn(seen).map((fault) => `${front}, round ${round}: ${fault}`),
  );
  return { text, figures: all, defects };
}
