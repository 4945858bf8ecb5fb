import { Command } from 'commander';
import { WHOLE } from '../../ops/config.ts';
import { createLog } from '../../ops/log.ts';
import { configFrom } from '../config-file.ts';
import { startDaemon } from './daemon.ts';
import type { Environment } from '../../ops/substitution.ts';
import type { Terminal } from '../terminal.ts';

const HELP = `
Takes the custody service's webhooks at POST /hooks/<path token>, keeps exact books of them, and
credits a deposit only when the books, the chain view and the custody API agree.

  /console   what is going on, for people        /docs     the API, to try out
  /v1        for exchanges and finance           /metrics  for Prometheus
  /healthz   the process is alive                /readyz   intake can take notifications

Begin with config/default.json; \`counterfoil doctor --config FILE\` checks a configuration and
everything it leads to. SIGTERM ends in order: what was acknowledged is in the store.`;

export function serveCommand(
  terminal: Terminal,
  context: { environment: Environment; version: string },
): Command {
  return new Command('serve')
    .addHelpText('after', HELP)
    .requiredOption('--config <file>', 'the configuration (JSON)')
    .option('--json', 'print where it listens as one JSON line')
    .action(async (flags: { config: string; json?: boolean }) => {
      const config = configFrom(WHOLE, flags.config, context.environment);
      const log = createLog({ level: config.log.level, secrets: config.intake.pathTokens });
      const { signals } = terminal;
      const daemon = await startDaemon({ config, log, signals, version: context.version });
      const consoleUrl = `${daemon.url}/console`;
      terminal.result(
        flags.json === true
          ? JSON.stringify({ url: daemon.url, console: consoleUrl })
          : `counterfoil listens on ${daemon.url}  (console: ${consoleUrl}, API: ${daemon.url}/docs)`,
      );
    });
}
