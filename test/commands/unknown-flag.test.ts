import { Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { reportUnknownFlagFirst } from '../../src/commands/unknown-flag.ts';

/** What the command `serve` answers to these arguments. */
function answered(args: readonly string[]): string {
  const command = new Command('serve')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .requiredOption('--config <file>', 'the configuration')
    .option('--check')
    .action(() => undefined);
  reportUnknownFlagFirst(command, args);
  try {
    command.parse(args, { from: 'user' });
    return `config ${command.opts<{ config: string }>().config}`;
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    throw error;
  }
}

const MISSING = "error: required option '--config <file>' not specified";

test.for([
  ['--confg a.json', "error: unknown option '--confg'\n(Did you mean --config?)"],
  ['--confg=a.json', "error: unknown option '--confg=a.json'"],
  ['--check --zzz', "error: unknown option '--zzz'"],
  ['--config a.json --chek', "error: unknown option '--chek'\n(Did you mean --check?)"],
  ['', MISSING],
  ['--check', MISSING],
  ['--check -- --confg', MISSING],
  ['--config a.json', 'config a.json'],
  ['--config=a.json --check', 'config a.json'],
  ['--config --odd', 'config --odd'],
] as const)('serve %s', ([line, answer]) => {
  expect(answered(line.split(' ').filter((word) => word !== ''))).toBe(answer);
});
