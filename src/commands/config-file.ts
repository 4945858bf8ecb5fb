import { readPrivateKey } from '../custody/token.ts';
import type { Part } from '../ops/config.ts';
import { loadConfig, type Loaded } from '../ops/config-file.ts';
import { problemText } from '../ops/problem.ts';
import type { Environment } from '../ops/substitution.ts';
import { CommandFailed } from './terminal.ts';

/** What a command needs of the configuration in a file; every problem of that in one message. */
export function configFrom<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Value {
  return loadedFrom(part, path, environment).config;
}

/** The same, with the files that hold its secrets. */
export function loadedFrom<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Extract<Loaded<Value>, { kind: 'ok' }> {
  const loaded = loadConfig({ file: path, env: environment, part, keyFlaw });
  if (loaded.kind === 'ok') return loaded;
  throw new CommandFailed(`${path} cannot be used:\n${problemText(loaded.problems)}`, 2);
}

/** What a command can do without; undefined where the file does not say it, or not readably. */
export function configIfThere<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Value | undefined {
  const loaded = loadConfig({ file: path, env: environment, part, keyFlaw });
  return loaded.kind === 'ok' ? loaded.config : undefined;
}

function keyFlaw(pem: string): string | null {
  const read = readPrivateKey(pem);
  return read.kind === 'ok' ? null : read.detail;
}
