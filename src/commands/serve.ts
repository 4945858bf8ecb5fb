import path from 'node:path';
import { Command } from 'commander';
import { WHOLE, type Config } from '../ops/config/config.ts';
import { passwordIn } from '../ops/config/shared-store.ts';
import { createLog } from '../ops/log.ts';
import { configFrom, readConfig } from './config-file.ts';
import { startDaemon } from '../daemon/daemon.ts';
import type { Environment } from '../ops/config/reading/substitution.ts';
import type { Terminal } from '../daemon/process/terminal.ts';

const HELP = `
Receives the custody service's webhooks at POST /hooks/<path token>, books them exactly, and credits a
deposit only when the custody API shows the same deposit, at the depth that the policy requires.

  /console   web pages for people                /docs     the API, to try out
  /v1        for exchanges and finance           /metrics  for Prometheus
  /healthz   the process is alive                /readyz   intake accepts notifications
  /openapi.json  the API as OpenAPI 3.1

docs/tutorials/credit-your-first-deposit.md writes a configuration to begin with, and
docs/reference/configuration.md explains each key. \`counterfoil doctor --config FILE\` checks a
configuration and everything it names. SIGTERM ends the daemon in order: everything acknowledged is in
the store.

Exit code 0 after SIGTERM or Ctrl-C; 1 when it cannot start or run, for example when another process
uses the store or the port; 2 for a bad configuration.

Example:
  counterfoil serve --config config.json`;

/** What the log never shows. */
function secretsIn({ intake, receiver, store, console }: Config): string[] {
  const password = store.kind === 'postgres' ? passwordIn(store.url) : null;
  const provider = console.oidc?.clientSecret;
  return [...intake.pathTokens, receiver?.secret, password, provider].filter(
    (one) => typeof one === 'string',
  );
}

/** The command `serve`: runs the daemon until a signal ends it. */
export function serveCommand(
  terminal: Terminal,
  context: { environment: Environment; version: string },
): Command {
  return new Command('serve')
    .addHelpText('after', HELP)
    .requiredOption('--config <file>', 'the configuration (JSON)')
    .option('--json', 'print the listening address as one JSON line')
    .action(async (flags: { config: string; json?: boolean }) => {
      const config = configFrom(WHOLE, flags.config, context.environment);
      const log = createLog({ level: config.log.level, secrets: secretsIn(config) });
      const { signals } = terminal;
      const source = {
        path: path.resolve(flags.config),
        load: () => readConfig(WHOLE, flags.config, context.environment),
      };
      const daemon = await startDaemon({ config, log, signals, source, version: context.version });
      const consoleUrl = `${daemon.adminUrl}/console`;
      terminal.result(
        flags.json === true
          ? JSON.stringify({ url: daemon.url, admin: daemon.adminUrl, console: consoleUrl })
          : `counterfoil listens on ${daemon.url}  (console: ${consoleUrl}, API: ${daemon.adminUrl}/docs)`,
      );
    });
}
