import { Command } from 'commander';
import { WHOLE, type Config } from '../ops/config/config.ts';
import type { SecretFile } from '../ops/config/secret-file.ts';
import type { Environment } from '../ops/config/substitution.ts';
import { loadedFrom } from './config-file.ts';
import { custodyClientOf } from '../daemon/custody/custody-client.ts';
import { commandLog } from '../daemon/custody/request-log.ts';
import type { Terminal } from '../daemon/process/terminal.ts';
import { checkCustody } from '../daemon/checks/custody-check.ts';
import { ok, warning, type Diagnosis } from '../daemon/checks/diagnosis.ts';
import { checkExemptions } from '../daemon/checks/exemption-check.ts';
import { checkNames, policyAhead } from '../daemon/checks/policy-check.ts';
import { checkSecretFiles } from '../daemon/checks/secret-check.ts';
import { checkStore } from '../daemon/checks/store-check.ts';

const HELP = `
Checks the configuration and everything it names: the store, the API tokens, the access rights of secret
files, the custody API with our key, the vaults and their subscriptions, and whether webhooks can show
the depths that the crediting policy requires. Changes nothing. Exit code 0 without problems, 1 with
any.`;

const MARK = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' } as const;

export function doctorCommand(terminal: Terminal, environment: Environment): Command {
  return new Command('doctor')
    .addHelpText('after', HELP)
    .requiredOption('--config <file>', 'the configuration (JSON)')
    .option('--json', 'print the diagnoses as one JSON line')
    .action(async (flags: { config: string; json?: boolean }) => {
      const loaded = loadedFrom(WHOLE, flags.config, environment);
      const diagnoses = await diagnose({ ...loaded, path: flags.config });
      const sound = diagnoses.every((one) => one.status !== 'problem');
      terminal.result(
        flags.json === true ? JSON.stringify({ sound, diagnoses }) : asText(diagnoses),
      );
      terminal.exitWith(sound ? 0 : 1);
    });
}

interface Subject {
  readonly config: Config;
  readonly path: string;
  readonly secretFiles: readonly SecretFile[];
}

async function diagnose({ config, path, secretFiles }: Subject): Promise<Diagnosis[]> {
  const store = config.store.path;
  const ahead = await policyAhead(config.crediting, store);
  const rules = config.reconcile.exemptions;
  const own = [
    ok('configuration', `${path} is well-formed`),
    ...(await checkStore(store, { now: Date.now() })),
    checkTokens(config),
    ...checkSecretFiles({ secretFiles, pathTokens: config.intake.pathTokens, configPath: path }),
    ahead.diagnosis,
    ...checkExemptions(rules, Date.now()),
  ];
  if (config.custody === undefined) {
    const detail = 'none is configured: books and the local half only, nothing is ever credited';
    return [...own, warning('custody API', detail), ...(await checkNames(ahead, rules, null))];
  }
  const client = custodyClientOf(config.custody, { log: commandLog(store, config.custody) });
  try {
    const { custody } = config;
    own.push(checkWebhookUrl(config, custody.webhookUrl));
    const about = { config: custody, crediting: ahead.policy, now: Date.now() };
    const { diagnoses, networks } = await checkCustody(client, about);
    return [...own, ...diagnoses, ...(await checkNames(ahead, rules, networks))];
  } finally {
    await client.close();
  }
}

/** Checks the webhook URL's path token. With a wrong token the daemon answers 404 to every webhook. */
function checkWebhookUrl(config: Config, webhookUrl: string): Diagnosis {
  const token = /\/hooks\/([^/]+)$/.exec(new URL(webhookUrl).pathname)?.[1];
  if (token !== undefined && config.intake.pathTokens.includes(token)) {
    return ok('webhook URL', 'it ends with one of intake.pathTokens');
  }
  return warning(
    'webhook URL',
    'custody.webhookUrl does not end with /hooks/ and one of intake.pathTokens: unless your proxy rewrites the path, the daemon answers 404',
  );
}

function checkTokens(config: Config): Diagnosis {
  const { tokens } = config.api;
  return tokens.length > 0
    ? ok('API tokens', tokens.map((token) => `${token.name} (${token.role})`).join(', '))
    : warning(
        'API tokens',
        'there are none: nobody can use /v1; make one with `counterfoil keygen --token --out NAME`',
      );
}

function asText(diagnoses: readonly Diagnosis[]): string {
  return diagnoses.map((one) => `${MARK[one.status]}${one.check}: ${one.detail}`).join('\n');
}
