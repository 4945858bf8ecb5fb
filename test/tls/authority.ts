import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../config/proxy/make-test-authority', import.meta.url));

/** What config/proxy/make-test-authority makes beside its two authorities. */
export type CertificateName =
  | 'server'
  | 'valid'
  | 'renewed'
  | 'expired'
  | 'not-yet-valid'
  | 'other-authority'
  | 'not-pinned'
  | 'wrong-usage';

export interface KeyPair {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

/** A test authority with its certificates, in a folder. */
export interface Authority {
  readonly folder: string;
  /** The authority's own certificate, PEM. */
  readonly ca: string;
  readonly pairOf: (name: CertificateName) => KeyPair;
  /** `sha256:…` of a certificate that may be pinned. */
  readonly pinOf: (name: 'valid' | 'renewed') => string;
  readonly remove: () => void;
}

export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-authority-'));
  const printed = execFileSync(SCRIPT, [folder], { encoding: 'utf8' });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return {
    folder,
    ca: read('ca.pem'),
    pairOf: (name) => ({ cert: read(`${name}.pem`), key: read(`${name}.key`) }),
    pinOf: (name) => {
      const pin = new RegExp(`^${name} (sha256:[0-9a-f]{64})$`, 'm').exec(printed)?.[1];
      if (pin === undefined) throw new Error(`no pin of ${name} in:\n${printed}`);
      return pin;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
