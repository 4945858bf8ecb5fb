import { readPrivateKey } from '../custody/token.ts';
import type { Part } from '../ops/config/config.ts';
import { loadConfig, type Loaded } from '../ops/config/reading/config-file.ts';
import { problemText } from '../ops/config/reading/problem.ts';
import type { Environment } from '../ops/config/reading/substitution.ts';
import { CommandFailed } from '../daemon/process/terminal.ts';

/** Reads the part of a configuration file that a command needs. One message names all problems. */
export function configFrom<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Value {
  return loadedFrom(part, path, environment).config;
}

/** Like `configFrom`, with the paths of the secret files. Throws `CommandFailed` with each problem. */
export function loadedFrom<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Extract<Loaded<Value>, { kind: 'ok' }> {
  const loaded = readConfig(part, path, environment);
  if (loaded.kind === 'ok') return loaded;
  throw new CommandFailed(`${path} cannot be used:\n${problemText(loaded.problems)}`, 2);
}

/** Reads an optional part; undefined when it is absent or invalid. */
export function configIfThere<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Value | undefined {
  const loaded = readConfig(part, path, environment);
  return loaded.kind === 'ok' ? loaded.config : undefined;
}

/** Reads a part of a configuration file, or its problems. */
export function readConfig<Value>(
  part: Part<Value>,
  path: string,
  environment: Environment,
): Loaded<Value> {
  return loadConfig({ file: path, env: environment, part, keyFlaw });
}

function keyFlaw(pem: string): string | null {
  const read = readPrivateKey(pem);
  return read.kind === 'ok' ? null : read.detail;
}
