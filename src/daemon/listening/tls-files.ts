import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { certificatesIn } from '../../ops/certificates.ts';

export interface TlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile?: string;
}

/** The content of a listener's files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities of clients; undefined when clients need no certificate. */
  readonly ca: string | undefined;
  readonly authorities: readonly X509Certificate[];
}

/** Reads a listener's files. Throws when one is unreadable or they do not fit each other. */
export function readTlsFiles({ certFile, keyFile, caFile }: TlsConfig): TlsFiles {
  const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
  createSecureContext({ cert, key });
  return { cert, key, ca, authorities: ca === undefined ? [] : certificatesIn(ca) };
}
