#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { COMMANDS } from './commands/catalogue.ts';
import { reportUnknownFlagFirst } from './commands/unknown-flag.ts';
import { earlySignals } from './daemon/process/early-signals.ts';
import { nodeRefusal } from './daemon/process/node-release.ts';
import { CommandFailed, type Terminal } from './daemon/process/terminal.ts';
import { StateFileRefused } from './simulator/state/refusal.ts';
import { StoreRefused } from './store/refusal.ts';

const HELP = `
Try it:
  counterfoil demo                    core, daemon and traffic with faults; open the console it names

Run it (docs/tutorials/credit-your-first-deposit.md goes through it, with a configuration):
  counterfoil keygen --out custody    a key for the custody API
  counterfoil keygen --token --out X  a path token for the webhook URL, or an API token
  counterfoil doctor --config FILE    checks the configuration and everything it leads to
  counterfoil doctor --proxy URL      tries from outside what your proxy lets through
  counterfoil subscribe --config FILE sends every vault's webhooks to the daemon
  counterfoil serve --config FILE     the daemon; its console is at /console, its API at /docs

Every day: backup, report and check-report. When something is wrong: doctor, verify and reconcile.

Exit codes: 0 ok, 1 found a problem, 2 bad usage.`;

const terminal: Omit<Terminal, 'signals'> = {
  result: (text) => process.stdout.write(`${text}\n`),
  note: (text) => process.stderr.write(`${text}\n`),
  exitWith: (code) => {
    process.exitCode = code;
  },
};

interface Manifest {
  readonly version: string;
  /** What the simulated core alone needs; a production install may leave it out. */
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
}

/** The program with the called command loaded, and the others by name alone. */
async function program(args: readonly string[]): Promise<Command> {
  const { version, optionalDependencies } = manifest();
  const simulatorPackages = Object.keys(optionalDependencies);
  const context = { environment: process.env, version, simulatorPackages };
  const root = new Command('counterfoil')
    .description(
      "Receives a custody service's webhooks and tells you which deposits are safe to credit.",
    )
    .version(version)
    .addHelpText('after', HELP);
  // `help serve` is `serve --help`.
  const called = args[0] === 'help' ? args[1] : args[0];
  for (const { name, description, runsUntilStopped, load } of COMMANDS) {
    let command = new Command(name);
    if (name === called) {
      const signals = runsUntilStopped
        ? earlySignals(process, (code) => process.exit(code))
        : process;
      command = await load({ ...context, terminal: { ...terminal, signals } });
      reportUnknownFlagFirst(command, args.slice(1));
    }
    root.addCommand(command.description(description));
  }
  return root;
}

/** Bad usage is exit code 2 in every command and leads to its help; help is no error. */
function refuseToExit(command: Command, called: string): void {
  command.exitOverride();
  command.showHelpAfterError(`See ${called} --help.`);
  for (const child of command.commands) refuseToExit(child, `${called} ${child.name()}`);
}

/**
 * Whoever reads what is printed may leave early, as `head` does: that is no error. A result that
 * does not fit where it is to be written is one: half of it must not be taken for all of it.
 */
function lookAfterOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    terminal.note(`counterfoil: standard output cannot be written: ${error.message}`);
    process.exit(1);
  });
}

async function main(): Promise<void> {
  lookAfterOutput();
  try {
    const refusal = nodeRefusal(process.versions.node);
    if (refusal !== undefined) throw new CommandFailed(refusal);
    const command = await program(process.argv.slice(2));
    refuseToExit(command, command.name());
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
