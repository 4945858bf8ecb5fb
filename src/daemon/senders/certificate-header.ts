import { HEADER_OF_FORM, type CertificateForm } from '../../ops/config/certificate-form.ts';

/** The chain beside `Client-Cert` (RFC 9440, 2.3). Pins and authority decide without it. */
const CHAIN = 'client-cert-chain';

/** A request's certificate header, or why it has no single one of the configured form. */
export type HeaderFound =
  | { readonly kind: 'found'; readonly value: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly reason: 'missing' | 'duplicate' | 'other_form' };

/**
 * Servers and proxies that turn header names into variable names read `client_cert` as
 * `client-cert`.
 */
function spelledPlainly(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');
}

/** Headers, in all spellings, that carry a certificate in one of the forms. */
function certificateHeaders(own: string | undefined): ReadonlySet<string> {
  return new Set([...Object.values(HEADER_OF_FORM), CHAIN, ...(own === undefined ? [] : [own])]);
}

/** Finds the certificate header of a form among a request's headers. */
export class CertificateHeader {
  readonly #name: string | null;
  readonly #allowed: ReadonlySet<string>;
  readonly #known: ReadonlySet<string>;

  /** `header`: another name than the form's own. */
  constructor(rule: { readonly form: CertificateForm; readonly header?: string }) {
    this.#name = rule.form === 'tls' ? null : (rule.header ?? HEADER_OF_FORM[rule.form]);
    this.#known = certificateHeaders(rule.header);
    const chain = rule.form === 'client-cert' ? [CHAIN] : [];
    this.#allowed = new Set(this.#name === null ? [] : [this.#name, ...chain]);
  }

  /**
   * Looks through all headers in the order received: names and values in turn (`rawHeaders`). Node
   * would join repeated headers, or drop the later ones.
   */
  find(rawHeaders: readonly string[]): HeaderFound {
    const values: string[] = [];
    let chains = 0;
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? '';
      if (!this.#known.has(spelledPlainly(name))) continue;
      const exact = name.toLowerCase();
      if (!this.#allowed.has(exact)) return { kind: 'refused', reason: 'other_form' };
      if (exact === this.#name) values.push(rawHeaders[at + 1] ?? '');
      else chains += 1;
    }
    if (this.#name === null) return { kind: 'none' };
    const [value = '', ...more] = values;
    if (more.length > 0 || chains > 1) return { kind: 'refused', reason: 'duplicate' };
    return value === '' ? { kind: 'refused', reason: 'missing' } : { kind: 'found', value };
  }
}

const ALL_FORMS = certificateHeaders(undefined);

/** The first header of any form that carries a certificate, as the sender spelled it. */
export function anyCertificateHeader(rawHeaders: readonly string[]): string | undefined {
  return rawHeaders.find((name, at) => at % 2 === 0 && ALL_FORMS.has(spelledPlainly(name)));
}
