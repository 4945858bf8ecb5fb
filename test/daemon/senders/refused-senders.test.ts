import { expect, test } from 'vitest';
import { CERTIFICATE_REFUSALS } from '../../../src/daemon/senders/certificate-rules.ts';
import { RefusedSenders } from '../../../src/daemon/senders/refused-senders.ts';
import { readCertificate } from '../../../src/daemon/senders/sender-certificate.ts';
import { createLog } from '../../../src/ops/log.ts';
import { CERTIFICATES } from '../../tls/certificates.ts';
import { derOf } from '../../tls/header-values.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly refused: number;
  readonly reason?: string;
}

function watched() {
  const clock = { now: 5_000 };
  const lines: Line[] = [];
  const destination = { write: (text: string) => void lines.push(JSON.parse(text) as Line) };
  const log = createLog({ level: 'info', destination });
  return { clock, lines, senders: new RefusedSenders({ log, now: () => clock.now }) };
}

const PEER = { peer: '127.0.0.1', certificate: null };

test('the first refused certificate is logged at once, then one a minute with the count since', () => {
  const { clock, lines, senders } = watched();
  const logged: [atMs: number, refused: number][] = [];
  const refuse = (): void => {
    const before = lines.length;
    senders.certificate({ ...PEER, reason: 'missing' });
    for (const line of lines.slice(before)) logged.push([clock.now, line.refused]);
  };
  refuse();
  refuse();
  clock.now += 59_999;
  refuse();
  clock.now += 1;
  refuse();
  clock.now += 60_000;
  refuse();
  expect(logged).toEqual([
    [5_000, 1],
    [65_000, 3],
    [125_000, 1],
  ]);
});

test('each reason has a line of its own, which says what to do', () => {
  const { lines, senders } = watched();
  for (const reason of CERTIFICATE_REFUSALS) {
    senders.certificate({ ...PEER, reason });
    senders.certificate({ ...PEER, reason });
  }
  expect(lines.map(({ reason }) => reason)).toEqual([...CERTIFICATE_REFUSALS]);
  expect(new Set(lines.map(({ msg }) => msg)).size).toBe(CERTIFICATE_REFUSALS.length);
});

test('the line about a certificate that is not pinned has the pin to add', () => {
  const { lines, senders } = watched();
  const certificate = readCertificate(derOf(CERTIFICATES.renewed.cert));
  senders.certificate({ reason: 'not_pinned', peer: 'unix', certificate });
  expect(lines).toMatchObject([
    {
      level: 'warn',
      reason: 'not_pinned',
      peer: 'unix',
      pin: certificate?.pins[0],
      publicKeyPin: certificate?.pins[1],
    },
  ]);
  expect(lines[0]?.msg).toContain('intake.clientCertificate.pins');
});

test('unknown path tokens and connections are counted apart from certificates', () => {
  const { clock, lines, senders } = watched();
  senders.certificate({ ...PEER, reason: 'missing' });
  senders.token();
  senders.token();
  clock.now += 60_000;
  senders.token();
  expect(lines.map(({ refused }) => refused)).toEqual([1, 1, 2]);
  expect(lines[2]?.msg).toContain('intake.pathTokens');
  senders.connection('none was shown');
  expect(lines[3]).toMatchObject({ refused: 1, cause: 'none was shown' });
  senders.unproxied('10.0.0.1');
  expect(lines[4]).toMatchObject({ refused: 1, peer: '10.0.0.1' });
});

test('deliveries that find no room are logged at once, then once a minute with their count', () => {
  const { clock, lines, senders } = watched();
  for (let delivery = 0; delivery < 37; delivery += 1) senders.busy();
  clock.now += 60_000;
  senders.busy();
  expect(lines.map(({ refused }) => refused)).toEqual([1, 37]);
  expect(lines[0]?.msg).toMatch(/^deliveries are answered 503, .*intake\.queueMax is too small$/);
});
