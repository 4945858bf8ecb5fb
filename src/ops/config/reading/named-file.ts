import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { certificatesIn } from '../../certificates.ts';

/** The flaw in the custody service's private key text, or null. */
export type KeyFlaw = (pem: string) => string | null;

/** The expected content of a configured file. */
export type Content = 'certificate' | 'tls key' | 'custody key';

/** The flaw of configured files (absolute paths) and its remedy, or null. */
export interface FileChecks {
  readonly flawOf: (file: string, content: Content) => string | null;
  /** The flaw of a pair of files that are sound alone. */
  readonly pairFlaw: (files: { certFile: string; keyFile: string }) => string | null;
}

/** The checks of files on this machine. */
export function fileChecks(custodyKeyFlaw: KeyFlaw): FileChecks {
  const flawOf = (file: string, content: Content): string | null => {
    const read = readText(file);
    return read.kind === 'ok'
      ? contentFlaw(file, { content, text: read.text, custodyKeyFlaw })
      : unreadableText(file, read.reason);
  };
  return {
    flawOf,
    pairFlaw: ({ certFile, keyFile }) => {
      if (flawOf(certFile, 'certificate') ?? flawOf(keyFile, 'tls key')) return null;
      const why = causeOf(() =>
        createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) }),
      );
      return why === null ? null : `the key of keyFile does not fit certFile (${why})`;
    },
  };
}

/** The reason of `readText` for a file that does not exist. */
const MISSING = 'ENOENT';

/** The reasons of a folder, and of a file that belongs to somebody else. */
const FOLDER = 'EISDIR';
const FORBIDDEN = 'EACCES';

/** Whether `readText` failed because the path is wrong, and not the permissions. */
export function isWrongPath(reason: string): boolean {
  return reason === MISSING || reason === FOLDER;
}

/** The message for an unreadable file. */
export function unreadableText(file: string, reason: string): string {
  const remedy = isWrongPath(reason) ? 'check the path' : 'check the path and its permissions';
  return `${unreadable(file, reason)}; ${remedy}`;
}

/** What is wrong with a file that `readText` could not read. */
export function unreadable(file: string, reason: string): string {
  if (reason === MISSING) return `${file} does not exist`;
  if (reason === FOLDER) return `${file} is a folder`;
  return reason === FORBIDDEN
    ? `${file} may not be read by this user`
    : `cannot read ${file} (${reason})`;
}

/** Reads a file as UTF-8. The reason is the error's code, never its content. */
export function readText(
  file: string,
): { kind: 'ok'; text: string } | { kind: 'unreadable'; reason: string } {
  try {
    return { kind: 'ok', text: readFileSync(file, 'utf8') };
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { kind: 'unreadable', reason };
  }
}

function contentFlaw(
  file: string,
  holds: { content: Content; text: string; custodyKeyFlaw: KeyFlaw },
): string | null {
  const { content, text } = holds;
  switch (content) {
    case 'certificate':
      return isCertificates(text) ? null : `${file} is not a certificate in PEM`;
    case 'tls key':
      return causeOf(() => createPrivateKey(text)) === null
        ? null
        : `${file} is not an unencrypted private key in PEM`;
    case 'custody key': {
      const flaw = holds.custodyKeyFlaw(text);
      return flaw === null
        ? null
        : `${file} is ${flaw}: make a key with \`counterfoil keygen --out custody\``;
    }
    default:
      return content satisfies never;
  }
}

function isCertificates(pem: string): boolean {
  try {
    return certificatesIn(pem).length > 0;
  } catch {
    return false;
  }
}

/** The message of a throwing call, or null. OpenSSL never quotes its input. */
function causeOf(attempt: () => unknown): string | null {
  try {
    attempt();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
