import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generateKeyPair } from '../../../src/custody/token.ts';
import { Daemon } from '../daemon.ts';

/** A custody API without data; on request it answers 401 or 403 to everything. */
class EmptyCustody {
  status: 200 | 401 | 403 = 200;
  readonly #server = createServer((request, response) => {
    const { status } = this;
    const body =
      status === 200
        ? { data: [], pagination: { page: 0, pageSize: 1_000, total: 0 } }
        : {
            errorCode: 'AU-1',
            errorMessage: 'no',
            statusCode: status,
            endpoint: request.url,
            timestamp: new Date().toISOString(),
          };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}

async function sampleOf(daemon: Daemon, name: string): Promise<number> {
  const text = await (await fetch(`${daemon.url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

async function metricLines(daemon: Daemon, name: string): Promise<string[]> {
  const text = await (await fetch(`${daemon.url}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(name));
}

async function runOf(daemon: Daemon): Promise<{ incomplete: string | null }> {
  return daemon.post('/v1/reconciliations');
}

test.for([
  [401, 'attach the public key of custody.privateKeyFile'],
  [403, 'Give the API client custody.clientId the permission'],
] as const)(
  'readiness, metrics and log report a custody API that answers %i, and what to do: %s',
  async ([status, advice]) => {
    const custody = new EmptyCustody();
    const baseUrl = await custody.listen();
    const { privateKeyPem } = await generateKeyPair();
    const daemon = await Daemon.start({
      custody: ({ folder, hookPath }) => {
        writeFileSync(join(folder, 'custody.key'), privateKeyPem, { mode: 0o600 });
        return {
          baseUrl,
          clientId: 'c',
          privateKeyFile: 'custody.key',
          webhookUrl: `http://127.0.0.1:9${hookPath}`,
          vaults: 'all',
        };
      },
    });
    expect(await runOf(daemon)).toMatchObject({ incomplete: null });
    expect(await daemon.get('/readyz')).toMatchObject({ custody: { access: 'granted' } });

    const requests = 'counterfoil_custody_requests_total';
    expect(await metricLines(daemon, requests)).toContain(
      `${requests}{operation="replay",result="refused"} 0`,
    );

    custody.status = status;
    const { incomplete } = await runOf(daemon);
    expect(incomplete?.toLowerCase()).toContain(advice.toLowerCase());
    const ready = await fetch(`${daemon.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      status: 'ready',
      custody: {
        circuit: 'closed',
        access: 'refused',
        refusals: [{ operation: 'transactions', status }],
        notices: [expect.stringContaining(advice)],
      },
    });
    const refused = 'counterfoil_custody_access_refused';
    expect(await metricLines(daemon, refused)).toContain(
      `${refused}{operation="transactions",status="${status}"} 1`,
    );
    // Ages grow between two scrapes, so the younger one is read first.
    const last = await sampleOf(daemon, 'counterfoil_last_sweep_age_seconds');
    const complete = await sampleOf(daemon, 'counterfoil_last_complete_sweep_age_seconds');
    expect(complete).toBeGreaterThan(last);
    const lines = daemon.stderr().split('\n');
    expect(
      lines.filter((line) => line.includes('"level":"error"') && line.includes(advice)),
    ).toHaveLength(1);

    custody.status = 200;
    expect(await runOf(daemon)).toMatchObject({ incomplete: null });
    expect(await daemon.get('/readyz')).toMatchObject({ custody: { access: 'granted' } });
    expect(await metricLines(daemon, refused)).toEqual([]);
    expect(daemon.stderr()).toContain('the custody API accepts our key again');
  },
);
