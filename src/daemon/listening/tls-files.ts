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

/** Reads a file of certificates. Throws when the file holds none, for example while it is written. */
export function readCertificates(file: string): {
  text: string;
  certificates: readonly X509Certificate[];
} {
  const text = readFileSync(file, 'utf8');
  const certificates = certificatesIn(text);
  if (certificates.length === 0) throw new Error(`${file} holds no certificate in PEM form`);
  return { text, certificates };
}

/**
 * Reads a listener's files. Throws when one is unreadable or empty, or when they do not fit each
 * other. OpenSSL itself accepts an empty certificate, and then refuses every connection.
 */
export function readTlsFiles({ certFile, keyFile, caFile }: TlsConfig): TlsFiles {
  const { text: cert } = readCertificates(certFile);
  const key = readFileSync(keyFile, 'utf8');
  if (key.trim() === '') throw new Error(`${keyFile} holds no private key in PEM form`);
  const ca = caFile === undefined ? undefined : readCertificates(caFile);
  createSecureContext({ cert, key });
  return { cert, key, ca: ca?.text, authorities: ca?.certificates ?? [] };
}
