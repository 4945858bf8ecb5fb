import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Authority } from '../../tls/authority.ts';
import { clientCert, escapedPem } from '../../tls/header-values.ts';
import { Daemon } from '../daemon.ts';
import { freePort } from '../program.ts';
import type { ProxyName } from './proxy.ts';

/** How each example hands a certificate on. */
export const HANDED: Record<
  ProxyName,
  { readonly form: string; readonly header: string; readonly valueOf: (pem: string) => string }
> = {
  nginx: { form: 'escaped-pem', header: 'X-Client-Certificate', valueOf: escapedPem },
  haproxy: { form: 'client-cert', header: 'Client-Cert', valueOf: clientCert },
  caddy: { form: 'client-cert', header: 'Client-Cert', valueOf: clientCert },
};

interface ProxyTrust {
  readonly authority: Authority;
  /** Peers that may hand a certificate on; left out, those of this machine. */
  readonly from?: readonly string[];
}

/** The built daemon as the comment at the head of a proxy's example configures it. */
export class DaemonBehindProxy extends Daemon {
  readonly socket = join(this.folder, 'intake.sock');

  constructor(name: ProxyName, { authority, from }: ProxyTrust) {
    super();
    this.#change(({ intake }) => ({
      intake: {
        ...intake,
        clientCertificate: {
          form: HANDED[name].form,
          pins: [authority.pinOf('valid')],
          issuerFile: join(authority.folder, 'ca.pem'),
          ...(from === undefined ? {} : { from }),
        },
      },
    }));
  }

  /** Takes deliveries at the socket alone; answers the port of everything else. */
  async atSocket(): Promise<number> {
    const port = await freePort();
    this.#change(() => ({
      listen: { socket: this.socket },
      admin: { host: '127.0.0.1', port },
    }));
    return port;
  }

  #change(change: (config: { readonly intake: object }) => object): void {
    const config = JSON.parse(readFileSync(this.configPath, 'utf8')) as { intake: object };
    writeFileSync(this.configPath, JSON.stringify({ ...config, ...change(config) }));
  }
}
