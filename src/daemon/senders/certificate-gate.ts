import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { certificatesIn } from '../../ops/certificates.ts';
import type { CertificateForm } from '../../ops/config/certificate-form.ts';
import type { Config } from '../../ops/config/config.ts';
import { connectionOf, type Connection, type TlsPeer } from '../listening/connection.ts';
import { anyCertificateHeader, CertificateHeader } from './certificate-header.ts';
import {
  refusalByRules,
  refusalByTime,
  type CertificateRefusal,
  type CertificateRules,
} from './certificate-rules.ts';
import { readValue } from './certificate-value.ts';
import { peersIn } from './peers.ts';
import {
  readCertificate,
  senderCertificate,
  type SenderCertificate,
} from './sender-certificate.ts';

/** Accepted header values that are kept parsed; more than one certificate has only a rotation. */
const KNOWN_MAX = 64;

/** A refused sender, for log and metric. */
export interface RefusedCertificate {
  readonly reason: CertificateRefusal;
  readonly peer: string;
  /** Null when none could be read. */
  readonly certificate: SenderCertificate | null;
}

type Judged =
  | { readonly kind: 'accepted'; readonly certificate: SenderCertificate }
  | ({ readonly kind: 'refused' } & Omit<RefusedCertificate, 'peer'>);

interface GateOptions {
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly onRefused: (refused: RefusedCertificate) => void;
  /** Receives the name of a certificate header while no certificate is required. */
  readonly onIgnored: (header: string) => void;
}

type ClientCertificate = Config['intake']['clientCertificate'];

function refused(reason: CertificateRefusal, certificate: SenderCertificate | null = null): Judged {
  return { kind: 'refused', reason, certificate };
}

/** The rule of a configuration, with what was read and parsed for it. */
class Rule {
  readonly form: CertificateForm;
  readonly #header: CertificateHeader;
  readonly #isPeer: (peer: string) => boolean;
  readonly #rules: CertificateRules;
  /** Accepted ones, by the header's value or by the connection. */
  readonly #known = new Map<string, SenderCertificate>();
  readonly #shown = new WeakMap<TlsPeer, SenderCertificate>();

  /** Throws when `issuerFile` cannot be read. */
  constructor(config: NonNullable<ClientCertificate>) {
    this.form = config.form;
    this.#header = new CertificateHeader(config);
    this.#isPeer = peersIn(config.from);
    const { issuerFile, names } = config;
    this.#rules = {
      pins: new Set(config.pins),
      issuers: issuerFile === undefined ? null : certificatesIn(readFileSync(issuerFile, 'utf8')),
      names: names === undefined ? null : new Set(names.map(asCompared)),
    };
  }

  judge(rawHeaders: readonly string[], { peer, tls }: Connection, nowMs: number): Judged {
    if (this.form !== 'tls' && !this.#isPeer(peer)) return refused('wrong_peer');
    const header = this.#header.find(rawHeaders);
    switch (header.kind) {
      case 'refused':
        return refused(header.reason);
      case 'none':
        return this.judgeTls(tls, nowMs);
      case 'found':
        return this.#judgeValue(header.value, nowMs);
      default:
        return header satisfies never;
    }
  }

  judgeTls(tls: TlsPeer | null, nowMs: number): Judged {
    if (tls?.certificate === undefined) return refused('missing');
    const isTrusted = tls.isTrusted();
    const known = this.#shown.get(tls);
    if (known !== undefined && isTrusted) return judgedByTime(known, nowMs);
    const judged = this.#judge(known ?? senderCertificate(tls.certificate), nowMs, isTrusted);
    if (judged.kind === 'accepted') this.#shown.set(tls, judged.certificate);
    return judged;
  }

  #judgeValue(value: string, nowMs: number): Judged {
    const known = this.#known.get(value);
    if (known !== undefined) return judgedByTime(known, nowMs);
    // A found header belongs to a form that has one.
    const read = this.form === 'tls' ? null : readValue(this.form, value);
    if (read === null) return refused('other_form');
    if (read.kind === 'refused') return refused(read.reason);
    const judged = this.#judge(readCertificate(read.der), nowMs, true);
    if (judged.kind === 'refused') return judged;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(value, judged.certificate);
    return judged;
  }

  #judge(certificate: SenderCertificate | null, nowMs: number, isTrusted: boolean): Judged {
    if (certificate === null) return refused('malformed');
    const byRules = refusalByRules(certificate, this.#rules, isTrusted);
    const judged = judgedByTime(certificate, nowMs);
    return judged.kind === 'refused' || byRules === null ? judged : refused(byRules, certificate);
  }
}

function judgedByTime(certificate: SenderCertificate, nowMs: number): Judged {
  const reason = refusalByTime(certificate, nowMs);
  return reason === null ? { kind: 'accepted', certificate } : refused(reason, certificate);
}

/** DNS names compare without case; URIs with it. */
function asCompared(name: string): string {
  return name.includes(':') ? name : name.toLowerCase();
}

/**
 * Accepts or refuses deliveries by their client certificate, at each request: an open connection
 * ends no earlier than its sender wants, but its certificate may end or lose its pin before.
 */
export class CertificateGate {
  readonly #options: GateOptions;
  #rule: Rule | null = null;
  #ignored = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Reads what a configuration names, and returns how to take it over. Throws when it cannot. */
  prepare(config: ClientCertificate): () => void {
    const rule = config === undefined ? null : new Rule(config);
    return () => {
      this.#rule = rule;
    };
  }

  /** Whether a request's sender may deliver. Reports a refusal. */
  accepts(request: IncomingMessage | undefined): boolean {
    if (this.#rule === null) {
      this.#reportIgnored(request?.rawHeaders ?? []);
      return true;
    }
    const connection = request === undefined ? undefined : connectionOf(request.socket);
    const judged =
      request === undefined || connection === undefined
        ? refused('wrong_peer')
        : this.#rule.judge(request.rawHeaders, connection, this.#options.now());
    if (judged.kind === 'accepted') return true;
    const { reason, certificate } = judged;
    this.#options.onRefused({ reason, certificate, peer: connection?.peer ?? '' });
    return false;
  }

  /** Whether a connection of our own TLS showed a certificate that may not deliver. */
  refusesConnection({ tls }: Connection): boolean {
    if (this.#rule?.form !== 'tls' || tls?.certificate === undefined) return false;
    return this.#rule.judgeTls(tls, this.#options.now()).kind === 'refused';
  }

  #reportIgnored(rawHeaders: readonly string[]): void {
    if (this.#ignored) return;
    const header = anyCertificateHeader(rawHeaders);
    if (header === undefined) return;
    this.#ignored = true;
    this.#options.onIgnored(header);
  }
}
