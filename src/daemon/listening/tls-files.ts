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

/** The certificates of a file's text. Throws when it holds none, such as while it is written. */
function someCertificates(file: string, text: string): readonly X509Certificate[] {
  const certificates = certificatesIn(text);
  if (certificates.length === 0) throw new Error(`${file} holds no certificate in PEM form`);
  return certificates;
}

/**
 * Reads a listener's files. Throws when one is unreadable or empty, or when they do not fit each
 * other. OpenSSL itself accepts an empty certificate, and then refuses every connection.
 */
export function readTlsFiles({ certFile, keyFile, caFile }: TlsConfig): TlsFiles {
  const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
  someCertificates(certFile, cert);
  if (key.trim() === '') throw new Error(`${keyFile} holds no private key in PEM form`);
  createSecureContext({ cert, key });
  const authorities = caFile === undefined || ca === undefined ? [] : someCertificates(caFile, ca);
  return { cert, key, ca, authorities };
}
