import type { Command } from 'commander';
import type { Environment } from '../ops/config/reading/substitution.ts';
import type { Terminal } from '../daemon/process/terminal.ts';
import { needPackages } from './simulator-packages.ts';

/** The parts of the process that commands use. */
interface CommandContext {
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly version: string;
  /** Packages that only the simulated core needs. */
  readonly simulatorPackages: readonly string[];
}

interface Listed {
  readonly name: string;
  readonly description: string;
  /** Whether a signal is the usual end: then signals are handled before modules load. */
  readonly runsUntilStopped?: true;
  /** Loads the command's modules on use, so that help and usage errors answer at once. */
  readonly load: (context: CommandContext) => Promise<Command>;
}

/** The commands, in the order of the help. */
export const COMMANDS: readonly Listed[] = [
  {
    name: 'demo',
    description: 'run core, daemon and traffic with faults, and show the console',
    runsUntilStopped: true,
    load: async ({ terminal, environment, simulatorPackages }) => {
      needPackages(simulatorPackages);
      return (await import('./demo/demo.ts')).demoCommand(terminal, environment);
    },
  },
  {
    name: 'serve',
    description: 'run the daemon: intake, books, reconciliation, API, console',
    runsUntilStopped: true,
    load: async ({ terminal, ...context }) =>
      (await import('./serve.ts')).serveCommand(terminal, context),
  },
  {
    name: 'core',
    description: 'run the simulated custody core',
    runsUntilStopped: true,
    load: async ({ terminal, simulatorPackages }) => {
      needPackages(simulatorPackages);
      return (await import('./core.ts')).coreCommand(terminal);
    },
  },
  {
    name: 'doctor',
    description: 'check a configuration and everything it names, or a proxy from outside',
    load: async ({ terminal, environment }) =>
      (await import('./doctor.ts')).doctorCommand(terminal, environment),
  },
  {
    name: 'subscribe',
    description: "subscribe every vault's streams to our webhook, or check that they are",
    load: async ({ terminal, environment }) =>
      (await import('./subscribe.ts')).subscribeCommand(terminal, environment),
  },
  {
    name: 'init',
    description: 'create the journal that several receivers share, in PostgreSQL',
    load: async ({ terminal, environment }) =>
      (await import('./store/init.ts')).initCommand(terminal, environment),
  },
  {
    name: 'verify',
    description: "audit a store: hash chain, ledger, and every table against the journal's replay",
    load: async ({ terminal, ...context }) =>
      (await import('./store/verify.ts')).verifyCommand(terminal, context),
  },
  {
    name: 'rebuild',
    description: 'rebuild every table of a store from its journal',
    load: async ({ terminal, environment }) =>
      (await import('./store/rebuild.ts')).rebuildCommand(terminal, environment),
  },
  {
    name: 'reconcile',
    description: 'make a running daemon reconcile now, and print the result',
    load: async ({ terminal, environment }) =>
      (await import('./reconcile.ts')).reconcileCommand(terminal, environment),
  },
  {
    name: 'report',
    description: 'print the sealed report of a closed day in a chosen format',
    load: async ({ terminal, environment }) =>
      (await import('./report.ts')).reportCommand(terminal, environment),
  },
  {
    name: 'check-report',
    description: 'check downloaded daily reports by themselves, without a store',
    load: async ({ terminal }) =>
      (await import('./check-report/check-report.ts')).checkReportCommand(terminal),
  },
  {
    name: 'backup',
    description: 'copy the store while the daemon runs, and audit the copy',
    load: async ({ terminal, environment }) =>
      (await import('./store/backup.ts')).backupCommand(terminal, environment),
  },
  {
    name: 'restore',
    description: 'audit a backup and replace the store with it',
    load: async ({ terminal, environment }) =>
      (await import('./store/backup.ts')).restoreCommand(terminal, environment),
  },
  {
    name: 'copy',
    description: 'copy a store between SQLite and PostgreSQL, with the same feed and report hashes',
    load: async ({ terminal, ...context }) =>
      (await import('./store/copy.ts')).copyCommand(terminal, context),
  },
  {
    name: 'keygen',
    description: 'make a key pair for the custody API, or a token',
    load: async ({ terminal }) => (await import('./keygen.ts')).keygenCommand(terminal),
  },
];
