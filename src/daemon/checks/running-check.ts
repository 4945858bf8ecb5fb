import { addedIn } from '../../domain/break/held-exemptions.ts';
import type { AccessState } from '../../custody/access.ts';
import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import type { Config } from '../../ops/config/config.ts';
import type { Reads } from '../../store/reads.ts';
import { checkClock } from './clock-check.ts';
import { ok, problem, warning, type Diagnosis } from './diagnosis.ts';
import { checkExemptions } from './exemption-check.ts';
import { checkListeners } from './listener-check.ts';
import { checkTokens, checkWebhookUrl } from './settings-check.ts';

/** What a running daemon knows without a request to the custody API. */
export interface Running {
  readonly config: Config;
  readonly reads: Pick<Reads, 'newestRecordedAt' | 'lastClose' | 'policy' | 'exemptions'>;
  /** Unix milliseconds. */
  readonly now: number;
  readonly isWritable: boolean;
  readonly access: AccessState['kind'];
  /** Urgent notices about the custody API, each with its remedy. */
  readonly notices: readonly string[];
  /** Probable misspellings and depths that no webhook shows. */
  readonly warnings: (policy: CreditingPolicy) => Promise<readonly string[]>;
  /** Of the identity provider and of the shared journal's servers. */
  readonly others: () => Promise<readonly Diagnosis[]>;
}

function checkWrites(isWritable: boolean): Diagnosis {
  return isWritable
    ? ok('store', 'it accepts writes')
    : problem('store', 'it accepts no writes, and senders get 503: see the log for the cause');
}

function checkAccess({ config, access: known, notices }: Running): Diagnosis[] {
  if (config.custody === undefined) {
    const detail = 'none is configured: books and the local half only, nothing is ever credited';
    return [warning('custody API', detail)];
  }
  const { webhookUrl } = config.custody;
  const access =
    notices.length === 0
      ? [ok('custody API', known === 'granted' ? 'it accepts our key' : 'it was not asked yet')]
      : notices.map((notice) => problem('custody API', notice));
  return [...access, checkWebhookUrl(config, webhookUrl)];
}

/** The checks of `doctor` that a running daemon can make for a page; a policy by its warnings. */
export async function checkRunning(running: Running): Promise<Diagnosis[]> {
  const { config, reads, now, isWritable } = running;
  const held = await reads.policy();
  const added = addedIn((await reads.exemptions()).rules);
  const warnings = held === undefined ? [] : await running.warnings(held.policy);
  return [
    checkWrites(isWritable),
    ...(await checkClock(reads, now)),
    checkTokens(config),
    ...checkListeners(config, now),
    ...checkExemptions([...config.reconcile.exemptions, ...added], now),
    ...(warnings.length === 0
      ? [
          ok(
            'crediting policy',
            'no name looks misspelt, and no depth looks out of reach on a network in use',
          ),
        ]
      : warnings.map((text) => warning('crediting policy', text))),
    ...checkAccess(running),
    ...(await running.others()),
  ];
}
