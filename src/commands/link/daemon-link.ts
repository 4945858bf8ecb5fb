import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { Agent, getGlobalDispatcher, type Dispatcher } from 'undici';
import { fileChecks } from '../../ops/config/reading/named-file.ts';
import { CommandFailed } from '../../daemon/process/terminal.ts';

/** Certificate files for a daemon with `listen.tls`. */
export interface TlsFlags {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The address and certificates of a running daemon. */
export interface DaemonLink {
  readonly at: (path: string) => URL;
  readonly dispatcher: Dispatcher;
}

/** Adds the options `--ca`, `--cert` and `--key` for a server behind TLS; `server`: its name. */
export function withTlsOptions(command: Command, server: 'daemon' | 'proxy' = 'daemon'): Command {
  return command
    .option('--ca <file>', `for https: the authority that issued the ${server}'s certificate, PEM`)
    .option('--cert <file>', `where the ${server} asks for one: a client certificate, PEM`)
    .option('--key <file>', 'and its private key, PEM');
}

/** The link that the options ask for. Throws `CommandFailed` for bad usage. */
export function linkTo(flags: TlsFlags & { readonly url: string }): DaemonLink {
  const { url } = flags;
  if (!URL.canParse('/', url)) {
    throw new CommandFailed(`--url ${url} is no address: give one like http://127.0.0.1:8080`, 2);
  }
  const at = (path: string): URL => new URL(path, url);
  if (!givesTls(flags)) return { at, dispatcher: getGlobalDispatcher() };
  if (at('/').protocol !== 'https:') {
    throw new CommandFailed(`--ca, --cert and --key are for https://, and --url is ${url}`, 2);
  }
  return { at, dispatcher: new Agent({ connect: contentsOf(flags) }) };
}

/** Whether any option for TLS is given. */
export function givesTls({ ca, cert, key }: TlsFlags): boolean {
  return ca !== undefined || cert !== undefined || key !== undefined;
}

/** The contents of the named files, checked. Throws `CommandFailed` for bad usage. */
export function contentsOf({ ca, cert, key }: TlsFlags): {
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
} {
  if ((cert === undefined) !== (key === undefined)) {
    throw new CommandFailed('--cert and --key go together: give both', 2);
  }
  const { flawOf, pairFlaw } = fileChecks(() => null);
  const authority = ca === undefined ? null : named('--ca', flawOf(ca, 'certificate'));
  const ours =
    cert === undefined || key === undefined
      ? null
      : (named('--cert', flawOf(cert, 'certificate')) ??
        named('--key', flawOf(key, 'tls key')) ??
        named('--key', pairFlaw({ certFile: cert, keyFile: key })));
  const flaw = authority ?? ours;
  if (flaw !== null) throw new CommandFailed(flaw, 2);
  return {
    ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
    ...(cert === undefined ? {} : { cert: readFileSync(cert) }),
    ...(key === undefined ? {} : { key: readFileSync(key) }),
  };
}

function named(option: string, flaw: string | null): string | null {
  return flaw === null ? null : `${option}: ${flaw}`;
}
