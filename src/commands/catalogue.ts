import type { Command } from 'commander';
import type { Environment } from '../ops/substitution.ts';
import { needOpenFiles } from './serve/open-files.ts';
import type { Terminal } from './terminal.ts';

/** What commands are given of the process that they run in. */
interface Surroundings {
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly version: string;
}

interface Listed {
  readonly name: string;
  readonly description: string;
  /** Whether a signal is its usual end: it is taken before the modules are loaded. */
  readonly runsUntilStopped?: true;
  /** Loads the command with its modules, and nothing before: help and mistakes are answered at once. */
  readonly load: (surroundings: Surroundings) => Promise<Command>;
}

/** The commands, in the order of the help. */
export const COMMANDS: readonly Listed[] = [
  {
    name: 'demo',
    description: 'run core, daemon and traffic with faults, and show the console',
    runsUntilStopped: true,
    load: async ({ terminal }) => (await import('./demo/demo.ts')).demoCommand(terminal),
  },
  {
    name: 'serve',
    description: 'run the daemon: intake, books, reconciliation, API, console',
    runsUntilStopped: true,
    load: async ({ terminal, ...context }) => {
      // Before its modules: they are what there may be too many of.
      needOpenFiles();
      return (await import('./serve/serve.ts')).serveCommand(terminal, context);
    },
  },
  {
    name: 'core',
    description: 'run the simulated custody core',
    runsUntilStopped: true,
    load: async ({ terminal }) => (await import('./core.ts')).coreCommand(terminal),
  },
  {
    name: 'doctor',
    description: 'check a configuration and everything it leads to',
    load: async ({ terminal, environment }) =>
      (await import('./doctor/doctor.ts')).doctorCommand(terminal, environment),
  },
  {
    name: 'subscribe',
    description: "subscribe every vault's streams to our webhook, or check that they are",
    load: async ({ terminal, environment }) =>
      (await import('./subscribe.ts')).subscribeCommand(terminal, environment),
  },
  {
    name: 'verify',
    description: "audit a store: hash chain, ledger, and every table against the journal's replay",
    load: async ({ terminal, environment }) =>
      (await import('./verify.ts')).verifyCommand(terminal, environment),
  },
  {
    name: 'rebuild',
    description: 'make every table of a store anew from its journal',
    load: async ({ terminal, environment }) =>
      (await import('./rebuild.ts')).rebuildCommand(terminal, environment),
  },
  {
    name: 'reconcile',
    description: 'let a running daemon reconcile now, and wait for the outcome',
    load: async ({ terminal, environment }) =>
      (await import('./reconcile.ts')).reconcileCommand(terminal, environment),
  },
  {
    name: 'report',
    description: 'give the sealed report of a closed day, in the format of choice',
    load: async ({ terminal, environment }) =>
      (await import('./report.ts')).reportCommand(terminal, environment),
  },
  {
    name: 'backup',
    description: 'copy the store while the daemon runs, and audit the copy',
    load: async ({ terminal, environment }) =>
      (await import('./backup.ts')).backupCommand(terminal, environment),
  },
  {
    name: 'restore',
    description: "audit a backup and put it in the store's place",
    load: async ({ terminal, environment }) =>
      (await import('./backup.ts')).restoreCommand(terminal, environment),
  },
  {
    name: 'keygen',
    description: 'make a key pair for the custody API, or a token',
    load: async ({ terminal }) => (await import('./keygen.ts')).keygenCommand(terminal),
  },
];
