#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { backupCommand, restoreCommand } from './commands/backup.ts';
import { coreCommand } from './commands/core.ts';
import { demoCommand } from './commands/demo/demo.ts';
import { doctorCommand } from './commands/doctor/doctor.ts';
import { keygenCommand } from './commands/keygen.ts';
import { rebuildCommand } from './commands/rebuild.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { reportCommand } from './commands/report.ts';
import { serveCommand } from './commands/serve.ts';
import { subscribeCommand } from './commands/subscribe.ts';
import { CommandFailed, type Terminal } from './commands/terminal.ts';
import { verifyCommand } from './commands/verify.ts';
import { StateFileRefused } from './simulator/state/state-file.ts';
import { StoreRefused } from './store/sqlite/refusal.ts';

const HELP = `
Try it:
  counterfoil demo                    core, daemon and traffic with faults; open the console it names

Run it:
  counterfoil keygen --out custody    a key for the custody API
  counterfoil doctor --config FILE    checks the configuration and everything it leads to
  counterfoil subscribe --config FILE
  counterfoil serve --config FILE

Exit codes: 0 ok, 1 found a problem, 2 bad usage.`;

const terminal: Terminal = {
  signals: process,
  result: (text) => process.stdout.write(`${text}\n`),
  note: (text) => process.stderr.write(`${text}\n`),
  exitWith: (code) => {
    process.exitCode = code;
  },
};

function version(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function program(): Command {
  const environment = process.env;
  const context = { environment, version: version() };
  return new Command('counterfoil')
    .description("The receiving half of a custody service's webhooks: exact books, safe credits.")
    .version(context.version)
    .addHelpText('after', HELP)
    .addCommand(demoCommand(terminal))
    .addCommand(serveCommand(terminal, context))
    .addCommand(coreCommand(terminal))
    .addCommand(doctorCommand(terminal, environment))
    .addCommand(subscribeCommand(terminal, environment))
    .addCommand(verifyCommand(terminal, environment))
    .addCommand(rebuildCommand(terminal, environment))
    .addCommand(reconcileCommand(terminal, environment))
    .addCommand(reportCommand(terminal, environment))
    .addCommand(backupCommand(terminal, environment))
    .addCommand(restoreCommand(terminal, environment))
    .addCommand(keygenCommand(terminal));
}

/** Bad usage is exit code 2 in every command, and help is no error. */
function refuseToExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) refuseToExit(child);
}

async function main(): Promise<void> {
  const command = program();
  refuseToExit(command);
  try {
    await command.parseAsync(process.argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else if (error instanceof CommandFailed) {
      terminal.note(`counterfoil: ${error.message}`);
      process.exitCode = error.exitCode;
    } else if (error instanceof StoreRefused || error instanceof StateFileRefused) {
      terminal.note(`counterfoil: ${error.message}`);
      process.exitCode = 1;
    } else {
      throw error;
    }
  }
}

await main();
