import { Agent, request } from 'node:http';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Daemon } from '../e2e/daemon.ts';
import { spread } from './delivering.ts';
import { webhookOfRow } from './custody-list-server.ts';

const SENDERS = Number(process.env['SENDERS'] ?? 1_000);
const SECONDS = Number(process.env['SECONDS'] ?? 20);
const BODY_BYTES = 1_048_000;
/** A short webhook is delivered this often meanwhile. */
const PROBE_MS = 50;
/** What the daemon may hold: its own 200 MiB, the room for bodies twice, and garbage. */
const RESIDENT_MIB_MAX = 768;

const PADDING = Buffer.alloc(BODY_BYTES - 1_000, ' ');

/** Delivers one notification padded to almost 1 MiB; the status of its answer, 0 for none. */
function deliverLong(url: string, agent: Agent, index: number): Promise<number> {
  const head = Buffer.from(JSON.stringify(webhookOfRow(index)));
  return new Promise((resolve) => {
    const headers = { 'content-length': head.length + PADDING.length };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
    sent.write(head);
    sent.end(PADDING);
  });
}

function statusMib(pid: number, key: 'VmRSS' | 'VmHWM'): number {
  const line = new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  );
  return Number(line?.[1]) / 1_024;
}

test(`${SENDERS} senders of 1 MiB bodies do not fill the memory`, async () => {
  const daemon = await Daemon.start();
  const url = `${daemon.url}/hooks/${daemon.pathTokens[0]}`;
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
  const idleMib = statusMib(daemon.pid, 'VmRSS');
  const answers = new Map<number, number>();
  const until = performance.now() + SECONDS * 1_000;
  let next = 0;
  const flood = Array.from({ length: SENDERS }, async () => {
    while (performance.now() < until) {
      next += 1;
      const status = await deliverLong(url, agent, next);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      // As a sender waits after a 503.
      if (status !== 200) await pause(1_000);
    }
  });
  const short: number[] = [];
  const waits: number[] = [];
  while (performance.now() < until) {
    const began = performance.now();
    const body = JSON.stringify(webhookOfRow(10_000_000 + short.length));
    // Without an answer: this process sends so much that its own connection timed out.
    short.push(
      await daemon.deliver(body).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    waits.push(performance.now() - began);
    await pause(PROBE_MS);
  }
  await Promise.all(flood);
  agent.destroy();
  const peakMib = statusMib(daemon.pid, 'VmHWM');
  console.log(
    [
      `long bodies        ${next} sent by ${SENDERS} senders in ${SECONDS} s; answers ${JSON.stringify(Object.fromEntries(answers))}`,
      `short bodies       ${short.length}, of them ${short.filter((status) => status === 200).length} answered 200: ${spread(waits)}`,
      `resident memory    ${idleMib.toFixed(0)} MiB before, ${peakMib.toFixed(0)} MiB at most`,
    ].join('\n'),
  );
  expect(short.filter((status) => status === 503)).toEqual([]);
  expect(peakMib).toBeLessThan(RESIDENT_MIB_MAX);
});
