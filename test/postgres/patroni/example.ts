import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, readPage } from '../../docs/reading/page.ts';
import { REPOSITORY } from '../../house/source.ts';

export const TWO_MACHINES = readPage('docs/how-to/run-on-two-machines.md');
const FILE = 'config/receivers/patroni.yml';

/** The machines of the guide that hold the journal, with the addresses there. */
export const ADDRESSES = { db1: '10.0.0.11', db2: '10.0.0.12', witness: '10.0.0.13' } as const;
export type MachineName = keyof typeof ADDRESSES;
export type Database = 'db1' | 'db2';

/** Where a machine of the guide is in a test. */
export interface LocalSetup {
  /** Of all machines; each has a folder with its name in it. */
  readonly folder: string;
  /** Of each address and port of the guide, the port on loopback. */
  readonly ports: ReadonlyMap<string, number>;
  /** The folder of PostgreSQL's programs. */
  readonly programs: string;
}

/** The example of Patroni for a machine. Throws unless the example has each text that it replaces. */
export function patroniOf(name: Database, { folder, ports, programs }: LocalSetup): string {
  const swaps: readonly (readonly [from: RegExp, to: string])[] = [
    [/^name: db1$/m, `name: ${name}`],
    [/\/var\/lib\/postgresql\/counterfoil/, join(folder, name, 'data')],
    [/\/usr\/lib\/postgresql\/15\/bin/, programs],
    [/unix_socket_directories: .+/, `unix_socket_directories: ${join(folder, name)}`],
    [/\/etc\/patroni\/server\.crt/, join(folder, name, 'server.crt')],
    [/\/etc\/patroni\/server\.key/, join(folder, name, 'server.key')],
    [/10\.0\.0\.0\/24/g, '127.0.0.0/8'],
    // A watchdog would reset the machine of the test.
    [/mode: required/, 'mode: off'],
  ];
  const example = ofMachine(name, readFileSync(join(REPOSITORY, FILE), 'utf8'));
  return swaps.reduce(
    (text, [from, to]) => {
      if (text.search(from) < 0) throw new Error(`${FILE} has no ${String(from)}`);
      return text.replace(from, to);
    },
    onLoopback(example, ports),
  );
}

/** The variables that the guide gives for `/etc/default/etcd`. */
export function etcdOf(name: MachineName, { folder, ports }: LocalSetup): Record<string, string> {
  const block = blocksOf(TWO_MACHINES).find(({ text }) => text.startsWith('ETCD_NAME=db1\n'));
  if (block === undefined) throw new Error(`${TWO_MACHINES.path} has no ETCD_NAME=db1`);
  const text = onLoopback(ofMachine(name, block.text), ports)
    .replace('ETCD_NAME=db1', `ETCD_NAME=${name}`)
    .replace('/var/lib/etcd/counterfoil', join(folder, name, 'etcd'));
  const variables = text.trim().split('\n');
  return Object.fromEntries(
    variables.map((line): [string, string] => {
      const [key = '', ...value] = line.split('=');
      return [key, value.join('=')];
    }),
  );
}

/** The text that the guide or the example gives for db1, as another machine has it. */
function ofMachine(name: MachineName, text: string): string {
  const lines = text.split('\n').map((line) =>
    // A line with the witness lists all members, on each machine alike.
    line.includes(ADDRESSES.witness) ? line : line.replaceAll(ADDRESSES.db1, ADDRESSES[name]),
  );
  return lines.join('\n');
}

function onLoopback(text: string, ports: LocalSetup['ports']): string {
  return text.replaceAll(/10\.0\.0\.\d+:\d+/g, (address) => {
    const port = ports.get(address);
    if (port === undefined) throw new Error(`no machine has ${address}`);
    return `127.0.0.1:${port}`;
  });
}
