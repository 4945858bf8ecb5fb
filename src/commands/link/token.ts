import { readText, unreadableText } from '../../ops/config/reading/named-file.ts';
import type { Environment } from '../../ops/config/reading/substitution.ts';
import { CommandFailed } from '../../daemon/process/terminal.ts';

/** Characters that an Authorization header allows. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Reads the token for a running daemon from the named file or the environment. Throws `CommandFailed`
 * when there is none, or when it is not one word of ASCII characters.
 */
export function tokenOf(flags: { readonly tokenFile?: string }, environment: Environment): string {
  const token =
    flags.tokenFile === undefined ? environment['COUNTERFOIL_TOKEN'] : tokenIn(flags.tokenFile);
  if (token !== undefined && token !== '') {
    if (TOKEN.test(token)) return token;
    const source =
      flags.tokenFile === undefined ? 'COUNTERFOIL_TOKEN' : `--token-file ${flags.tokenFile}`;
    throw new CommandFailed(`${source} holds no token: a token is one word of ASCII characters`, 2);
  }
  throw new CommandFailed('a token is needed: set COUNTERFOIL_TOKEN, or give --token-file', 2);
}

/** The text of a token's file. Throws `CommandFailed` where it cannot be read. */
export function tokenIn(file: string): string {
  const content = readText(file);
  if (content.kind === 'ok') return content.text.trim();
  throw new CommandFailed(`--token-file: ${unreadableText(file, content.reason)}`, 2);
}
