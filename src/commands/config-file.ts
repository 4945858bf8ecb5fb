import type { Config } from '../ops/config.ts';
import { loadConfig } from '../ops/config-file.ts';
import { problemText } from '../ops/problem.ts';
import type { Environment } from '../ops/substitution.ts';
import { CommandFailed } from './terminal.ts';

/** The configuration in a file; every problem of it in one message. */
export function configFrom(path: string, environment: Environment): Config {
  const loaded = loadConfig({ file: path, env: environment });
  if (loaded.kind === 'ok') return loaded.config;
  throw new CommandFailed(`${path} cannot be used:\n${problemText(loaded.problems)}`, 2);
}
