import { readPrivateKey } from '../custody/token.ts';
import type { Part } from '../ops/config/config.ts';
import { loadConfig, type Loaded } from '../ops/config/config-file.ts';
import { problemText } from '../ops/config/problem.ts';
import type { Environment } from '../ops/config/substitution.ts';
import { CommandFailed } from '../daemon/process/terminal.ts';

/** Reads the part of a configuration file that a command needs. One message names all problems. */
export function configFrom<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Value {
  return loadedFrom(part, path, environment).config;
}

/** Like `configFrom`, with the paths of the secret files. */
export function loadedFrom<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Extract<Loaded<Value>, { kind: 'ok' }> {
  const loaded = loadConfig({ file: path, env: environment, part, keyFlaw });
  if (loaded.kind === 'ok') return loaded;
  throw new CommandFailed(`${path} cannot be used:\n${problemText(loaded.problems)}`, 2);
}

/** Reads an optional part; undefined when it is absent or invalid. */
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
