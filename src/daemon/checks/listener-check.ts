import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { certificatesIn } from '../../ops/certificates.ts';
import type { Config } from '../../ops/config/config.ts';
import { ok, problem, warning, type Diagnosis } from './diagnosis.ts';

/** A certificate that ends sooner is mentioned. */
const DAYS_LEFT_MIN = 14;

const DAY_MS = 86_400_000;

/** Ranges of addresses up to this size can be a network of proxies; larger ones are everybody. */
const RANGE_BITS_MIN = { ipv4: 8, ipv6: 16 } as const;

/** Checks the listeners' certificates and sockets, and who may deliver. `now`: Unix milliseconds. */
export function checkListeners(config: Config, now: number): Diagnosis[] {
  const { listen, admin, intake } = config;
  const issuer = intake.clientCertificate?.issuerFile;
  const files: readonly (readonly [where: string, file: string | undefined])[] = [
    ['listen.tls.certFile', listen.tls?.certFile],
    ['listen.tls.caFile', listen.tls?.caFile],
    ['admin.tls.certFile', admin?.tls?.certFile],
    ['intake.clientCertificate.issuerFile', issuer],
  ];
  return [
    ...files.flatMap(([where, file]) => (file === undefined ? [] : checkDates(where, file, now))),
    ...checkSocket('listen.socket', listen.socket),
    ...checkSocket('admin.socket', admin?.socket),
    ...checkSenders(config),
  ];
}

/** An authority's file may hold former certificates: the last to end counts. */
function checkDates(where: string, file: string, now: number): Diagnosis[] {
  const certificates = certificatesIn(readFileSync(file, 'utf8'));
  const isOwn = where.endsWith('certFile');
  const checked = isOwn ? certificates.slice(0, 1) : certificates;
  const endsAt = Math.max(...checked.map(({ validTo }) => Date.parse(validTo)));
  const beginsAt = Math.min(...checked.map(({ validFrom }) => Date.parse(validFrom)));
  const check = 'certificates';
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  if (endsAt < now) {
    return [problem(check, `${where} ended on ${day(endsAt)}: replace ${file}`)];
  }
  if (beginsAt > now) {
    return [
      problem(check, `${where} is valid from ${day(beginsAt)} on: check the clock, or ${file}`),
    ];
  }
  const days = Math.floor((endsAt - now) / DAY_MS);
  return days < DAYS_LEFT_MIN
    ? [warning(check, `${where} ends in ${days} days: replace ${file}, no restart is needed`)]
    : [ok(check, `${where} is valid until ${day(endsAt)}`)];
}

function checkSocket(where: string, socket: string | undefined): Diagnosis[] {
  if (socket === undefined) return [];
  const folder = path.dirname(socket);
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isThere
    ? [ok('sockets', `${where}: the folder ${folder} exists`)]
    : [
        problem(
          'sockets',
          `${where}: the folder ${folder} does not exist; make it, writable for the daemon alone`,
        ),
      ];
}

function checkSenders({ intake, listen }: Config): Diagnosis[] {
  const check = 'client certificates';
  const rule = intake.clientCertificate;
  if (rule === undefined) {
    if (listen.tls?.caFile !== undefined) return [];
    return [
      warning(
        check,
        'deliveries need none: whoever learns the webhook URL can forge them; set intake.clientCertificate',
      ),
    ];
  }
  const wide = rule.form === 'tls' ? [] : rule.from.filter(isWide);
  return wide.length === 0
    ? [ok(check, `form ${rule.form}, pins: ${rule.pins.length}`)]
    : [
        warning(
          check,
          `intake.clientCertificate.from permits very many peers (${wide.join(', ')}), and each of them can name any certificate: name your proxies`,
        ),
      ];
}

function isWide(peer: string): boolean {
  const [address = '', bits] = peer.split('/');
  if (bits === undefined) return false;
  return Number(bits) < RANGE_BITS_MIN[address.includes(':') ? 'ipv6' : 'ipv4'];
}
