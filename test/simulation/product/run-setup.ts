import { createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPair } from '../../../src/custody/token.ts';
import { VirtualClock } from '../../../src/simulator/clock.ts';
import { startCore, type RunningCore } from '../../../src/simulator/core.ts';
import { EventLog } from '../event-log.ts';
import { Network } from './network.ts';
import { FaultSchedule } from './fault-schedule.ts';

let keys: Promise<{ publicKeyPem: string; key: KeyObject }> | undefined;

/** One key pair for all runs of the process: its bytes reach nothing that is compared. */
function keyPair(): Promise<{ publicKeyPem: string; key: KeyObject }> {
  keys ??= generateKeyPair().then(({ publicKeyPem, privateKeyPem }) => ({
    publicKeyPem,
    key: createPrivateKey(privateKeyPem),
  }));
  return keys;
}

/** Commits are as durable as a simulated crash can ask for, and memory is faster than a disk. */
export function scratchFolder(): string {
  const root = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  return mkdtempSync(join(root, 'counterfoil-simulation-'));
}

/** A call of the core's control port, e.g. `PUT /sim/faults`; throws when it is refused. */
export async function callControl(
  core: RunningCore,
  operation: `${'POST' | 'PUT'} /sim/${string}`,
  body: unknown,
): Promise<unknown> {
  const [method = '', path = ''] = operation.split(' ');
  const answer = await fetch(`${core.controlUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${operation}: ${JSON.stringify(said)}`);
  return said;
}

/** The base of a simulation: the core, the network before it, and one clock over both. */
export interface RunSetup {
  readonly core: RunningCore;
  readonly clock: VirtualClock;
  readonly log: EventLog;
  readonly faultSchedule: FaultSchedule;
  readonly network: Network;
  /** The product's access to the custody API. */
  readonly client: { readonly clientId: string; readonly key: KeyObject };
  /** What only a defect explains, in sentences. */
  readonly problems: string[];
  /** Bodies that the product answered 2xx to. */
  readonly acknowledged: Uint8Array[];
  /** What happens in the world while a request of the product is under way. */
  readonly bustle: { run: () => Promise<void> };
}

/** Starts a core of this seed and the network; `echo` gets every line of the event log. */
export async function setUpRun(
  seed: number,
  echo: ((line: string) => void) | undefined,
): Promise<RunSetup> {
  const { publicKeyPem, key } = await keyPair();
  const problems: string[] = [];
  const acknowledged: Uint8Array[] = [];
  const bustle = { run: (): Promise<void> => Promise.resolve() };
  const core = await startCore({
    port: 0,
    seed,
    clock: 'virtual',
    autoMine: false,
    onBug: (error) => problems.push(`CORE bug: ${String(error)}`),
  });
  const { clock } = core;
  if (!(clock instanceof VirtualClock)) throw new Error('the core has no virtual clock');
  const log = new EventLog({ now: () => clock.now(), echo });
  const faultSchedule = new FaultSchedule(seed);
  const network = await Network.open({
    clock,
    faultSchedule,
    log,
    bustle: () => bustle.run(),
    acknowledged: (body) => acknowledged.push(body),
    defect: (text) => problems.push(text),
  });
  const permissions = ['Vault:read', 'manageVaults', 'manageNotifications'];
  const request = { name: 'product', type: 'api', publicKeyPem, permissions };
  const made = (await callControl(core, 'POST /sim/clients', request)) as { clientId: string };
  const client = { clientId: made.clientId, key };
  return { core, clock, log, faultSchedule, network, client, problems, acknowledged, bustle };
}

/** Lets every vault's backlog be delivered; false when it is not although nothing is in its way. */
export async function drainBacklogs(
  { core, clock }: RunSetup,
  vaultIds: readonly string[],
): Promise<boolean> {
  const { delivery } = core;
  for (let tries = 0; tries < 100; tries += 1) {
    for (const vaultId of vaultIds) delivery.pullForward(vaultId);
    await clock.advance(1_000);
    if (vaultIds.every((vaultId) => delivery.backlog(vaultId).size === 0)) return true;
  }
  return false;
}
