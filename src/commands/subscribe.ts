import { Command, InvalidArgumentError } from 'commander';
import type { CallOptions } from '../custody/call/caller.ts';
import type { CustodyClient } from '../custody/client.ts';
import { driftText, subscriptionDrift } from '../domain/break/subscription-drift.ts';
import { CUSTODY, INTAKE_ALONE, STORE, type CustodyConfig } from '../ops/config/config.ts';
import { createProgress } from '../ops/progress.ts';
import type { Environment } from '../ops/config/reading/substitution.ts';
import { STREAMS } from '../wire/event-names.ts';
import { configFrom, configIfThere } from './config-file.ts';
import { checkWebhookUrl } from '../daemon/checks/settings-check.ts';
import { failureText } from '../daemon/custody/failure-text.ts';
import { custodyClientOf } from '../daemon/custody/custody-client.ts';
import { commandCounting } from '../daemon/custody/request-log.ts';
import { vaultsOf } from '../daemon/custody/vaults.ts';
import { CommandFailed, type Terminal } from '../daemon/process/terminal.ts';

interface SubscribeFlags {
  readonly config: string;
  readonly check?: boolean;
  readonly confirmations?: Readonly<Record<string, number>>;
  readonly json?: boolean;
}

/** A vault's subscription as found, and the result of the change. */
interface VaultResult {
  readonly vaultId: string;
  readonly result: 'as_wanted' | 'subscribed' | 'differs' | 'failed';
  readonly detail: string;
}

/** Request limits make this slow with many vaults: the command waits for them. */
const TIME_MS_MAX = 2 * 3_600_000;

const HELP = `
Reads the subscription of every vault of custody.vaults. Where it differs, subscribes all three streams
to custody.webhookUrl; the service then delivers a waiting backlog to the new URL.
With --confirmations, also sets the deepest delivered depth of the named networks. The service replaces
a vault's whole map, so name every network that needs a limit. --check compares URL and streams only.

Exit code 0 when every vault is subscribed; 1 when a vault differs (--check) or could not be changed.

Examples:
  counterfoil subscribe --config config.json --check      only prints differences
  counterfoil subscribe --config config.json --confirmations ethereum=12,bitcoin=3`;

function parseConfirmations(text: string): Record<string, number> {
  const entries = text.split(',').map((part) => {
    const [, network, depth] = /^([a-z0-9-]+)=([0-9]+)$/.exec(part.trim()) ?? [];
    if (network === undefined || depth === undefined) {
      throw new InvalidArgumentError('give network=depth pairs: ethereum=12,bitcoin=3');
    }
    return [network, Number(depth)] as const;
  });
  return Object.fromEntries(entries);
}

/** The command `subscribe`: subscribes vaults to webhooks (spec, "Subscription (webhook) endpoints"). */
export function subscribeCommand(terminal: Terminal, environment: Environment): Command {
  return new Command('subscribe')
    .addHelpText('after', HELP)
    .requiredOption('--config <file>', 'the configuration (JSON)')
    .option('--check', 'change nothing, only print differences')
    .option(
      '--confirmations <pairs>',
      'deepest delivered depth by network, as ethereum=12,bitcoin=3',
      parseConfirmations,
    )
    .option('--json', 'print the result as one JSON line')
    .action(async (flags: SubscribeFlags) => {
      const { custody } = configFrom(CUSTODY, flags.config, environment);
      if (custody === undefined) {
        throw new CommandFailed(
          `${flags.config}: custody is missing: name the service to subscribe at`,
          2,
        );
      }
      warnOfToken(custody, { terminal, flags, environment });
      // Without a store, it counts only its own requests, and follows the service's headers.
      const beside = configIfThere(STORE, flags.config, environment);
      const client = custodyClientOf(custody, beside ? commandCounting(beside.store, custody) : {});
      try {
        const results = await subscribeAll({ client, custody, flags });
        terminal.result(
          flags.json === true ? JSON.stringify({ vaults: results }) : asText(results),
        );
        const sound = results.every((one) => one.result !== 'failed' && one.result !== 'differs');
        terminal.exitWith(sound ? 0 : 1);
      } finally {
        await client.close();
      }
    });
}

/** The service cannot tell that the daemon refuses the URL, so a mistyped token would look well. */
function warnOfToken(
  { webhookUrl }: CustodyConfig,
  about: { terminal: Terminal; flags: SubscribeFlags; environment: Environment },
): void {
  const beside = configIfThere(INTAKE_ALONE, about.flags.config, about.environment);
  if (beside === undefined) return;
  const { status, detail } = checkWebhookUrl(beside, webhookUrl);
  if (status === 'warning') about.terminal.note(`warning: ${detail}`);
}

interface SubscribeContext {
  readonly client: CustodyClient;
  readonly custody: CustodyConfig;
  readonly flags: SubscribeFlags;
}

async function subscribeAll(context: SubscribeContext): Promise<VaultResult[]> {
  const { client, custody } = context;
  const options: CallOptions = { priority: 'repair', deadlineMs: Date.now() + TIME_MS_MAX };
  const found = await vaultsOf(client, custody, options);
  if (found.kind === 'failed') throw new CommandFailed(found.detail);
  const { vaultIds } = found;
  const progress = createProgress({
    total: vaultIds.length,
    label: 'vaults',
    stream: process.stderr,
  });
  const results: VaultResult[] = [];
  for (const vaultId of vaultIds) {
    results.push(await subscribeOne(context, vaultId, options));
    progress.tick(1);
  }
  progress.done();
  return results;
}

async function subscribeOne(
  { client, custody, flags }: SubscribeContext,
  vaultId: string,
  options: CallOptions,
): Promise<VaultResult> {
  const { subscriptions } = client;
  const { webhookUrl } = custody;
  const failed = (call: Parameters<typeof failureText>[0]): VaultResult => ({
    vaultId,
    result: 'failed',
    detail: failureText(call, custody),
  });
  const rows = await subscriptions.of(vaultId, options);
  if (rows.kind !== 'ok') return failed(rows);
  const drift = subscriptionDrift(rows.value, webhookUrl);
  const found = driftText(drift);
  const isWanted = drift.kind === 'as_wanted';
  if (flags.check === true) {
    return { vaultId, result: isWanted ? 'as_wanted' : 'differs', detail: found };
  }
  if (!isWanted) {
    const wanted = { vaultId, webhookUrl, streams: [...STREAMS] };
    const made = await subscriptions.replace(wanted, options);
    if (made.kind !== 'ok') return failed(made);
  }
  const { confirmations } = flags;
  if (confirmations !== undefined) {
    const set = await subscriptions.replaceOverrides({ vaultId, confirmations }, options);
    if (set.kind !== 'ok') return failed(set);
  }
  if (isWanted) return { vaultId, result: 'as_wanted', detail: found };
  const detail = `all three streams come to us now; found before: ${found}`;
  return { vaultId, result: 'subscribed', detail };
}

function asText(results: readonly VaultResult[]): string {
  const lines = results.map(
    ({ vaultId, result, detail }) => `${result.replace('_', ' ').padEnd(11)} ${vaultId}: ${detail}`,
  );
  return lines.length === 0 ? 'the service has no vaults yet' : lines.join('\n');
}
