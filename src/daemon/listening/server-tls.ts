import type { Server as HttpsServer, ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { chainsTo } from '../senders/certificate-rules.ts';
import type { TlsPeer } from './connection.ts';
import { readTlsFiles, type TlsConfig, type TlsFiles } from './tls-files.ts';

/** Whom a listener asks for certificates: nobody, everybody for the gate to judge, or it insists. */
export type ClientCertificates = 'none' | 'asked' | 'required';

/** OpenSSL's code for a missing client certificate. */
const NONE_SHOWN = 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';

/** Certificates and authorities of a listener, which change without a restart. */
export class ServerTls {
  readonly #clientCertificates: ClientCertificates;
  #files: TlsFiles;

  /** Throws when a file cannot be used. */
  constructor(config: TlsConfig, clientCertificates: ClientCertificates) {
    this.#files = readTlsFiles(config);
    this.#clientCertificates = clientCertificates;
  }

  get options(): ServerOptions {
    return {
      ...this.#contextOf(this.#files),
      requestCert: this.#clientCertificates !== 'none',
      rejectUnauthorized: this.#clientCertificates === 'required',
    };
  }

  /**
   * Reads the files again, and returns how the server takes them over. New connections use them;
   * open ones go on. A new context has new ticket keys: no session outlives a reload. Throws when a
   * file cannot be used.
   */
  prepare(config: TlsConfig, server: HttpsServer): () => void {
    const files = readTlsFiles(config);
    return () => {
      this.#files = files;
      server.setSecureContext(this.#contextOf(files));
    };
  }

  /** The client's half of a connection, when its handshake has ended. */
  peerOf(socket: TLSSocket): TlsPeer {
    const certificate = socket.getPeerX509Certificate();
    let { ca } = this.#files;
    let trusted = socket.authorized;
    return {
      certificate,
      isTrusted: () => {
        if (ca !== this.#files.ca) {
          trusted = certificate !== undefined && chainsTo(this.#files.authorities, certificate);
          ({ ca } = this.#files);
        }
        return trusted;
      },
    };
  }

  #contextOf({ cert, key, ca }: TlsFiles) {
    const authorities = ca === undefined ? {} : { ca };
    return { cert, key, ...authorities, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' } as const;
  }
}

/** Why TLS refused a client certificate; null when the connection failed for another reason. */
export function certificateFlaw(error: Error, socket: TLSSocket): string | null {
  if ('code' in error && error.code === NONE_SHOWN) return 'none was shown';
  // Typed as an error, but Node gives OpenSSL's code, or null.
  const flaw: unknown = socket.authorizationError;
  return typeof flaw === 'string' ? flaw : null;
}
