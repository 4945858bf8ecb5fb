import path from 'node:path';
import { z } from 'zod';
import { fileIn, port, text } from './reading/value.ts';
import type { FileChecks } from './reading/named-file.ts';
import { strict } from './reading/strict.ts';

const HOST = '127.0.0.1';
const PORT = 8_080;

/** The kernel keeps a socket's path in 108 bytes, the last of which is 0. */
const SOCKET_PATH_BYTES_MAX = 107;

function socketIn(folder: string) {
  return text
    .transform((name) => path.resolve(folder, name))
    .refine(
      (name) => Buffer.byteLength(name) <= SOCKET_PATH_BYTES_MAX,
      `must be a path of at most ${SOCKET_PATH_BYTES_MAX} bytes`,
    );
}

/** A certificate with its key. */
function ownCertificate(folder: string, checks: FileChecks) {
  return {
    certFile: fileIn(folder, checks, 'certificate'),
    keyFile: fileIn(folder, checks, 'tls key'),
  };
}

function fitting<Files extends z.ZodType<{ certFile: string; keyFile: string }>>(
  files: Files,
  checks: FileChecks,
) {
  return files.superRefine((pair, context) => {
    const flaw = checks.pairFlaw(pair);
    if (flaw !== null) context.addIssue({ code: 'custom', message: flaw });
  });
}

/** An address and port, or the path of a unix socket. */
function addressIn(folder: string) {
  return {
    host: text.exactOptional(),
    port: port.exactOptional(),
    socket: socketIn(folder).exactOptional(),
  };
}

interface Address {
  readonly host?: string;
  readonly port?: number;
  readonly socket?: string;
}

/** Refuses both: a port that somebody forgot would let senders in beside the socket. */
function isOneAddress({ host, port: number, socket }: Address): boolean {
  return socket === undefined || (host === undefined && number === undefined);
}

const ONE_ADDRESS = 'has a socket: leave host and port out';

function completed<Given extends Address>(given: Given) {
  return { ...given, host: given.host ?? HOST, port: given.port ?? PORT };
}

/** Where deliveries arrive; without `admin`, everything else too. */
export function listenIn(folder: string, checks: FileChecks) {
  const tls = strict({
    ...ownCertificate(folder, checks),
    caFile: fileIn(folder, checks, 'certificate').exactOptional(),
  });
  return strict({
    ...addressIn(folder),
    tls: fitting(tls, checks).exactOptional(),
    /** Whether each connection begins with a PROXY protocol header. */
    proxyProtocol: z.boolean().default(false),
  })
    .refine(isOneAddress, ONE_ADDRESS)
    .transform((given) => completed(given));
}

/** Where everything but deliveries is served. */
export function adminIn(folder: string, checks: FileChecks) {
  return strict({
    ...addressIn(folder),
    tls: fitting(strict(ownCertificate(folder, checks)), checks).exactOptional(),
  })
    .refine(isOneAddress, ONE_ADDRESS)
    .transform((given) => completed(given));
}
