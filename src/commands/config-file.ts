import type { Part } from '../ops/config.ts';
import { loadConfig } from '../ops/config-file.ts';
import { problemText } from '../ops/problem.ts';
import type { Environment } from '../ops/substitution.ts';
import { CommandFailed } from './terminal.ts';

/** What a command needs of the configuration in a file; every problem of that in one message. */
export function configFrom<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Value {
  const loaded = loadConfig({ file: path, env: environment, part });
  if (loaded.kind === 'ok') return loaded.config;
  throw new CommandFailed(`${path} cannot be used:\n${problemText(loaded.problems)}`, 2);
}
