import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createProgress } from '../../src/ops/progress.ts';

function terminal(isTTY: boolean): {
  stream: PassThrough & { isTTY: boolean };
  text: () => string;
} {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  return { stream, text: () => String(stream.read() ?? '') };
}

test('off a terminal nothing is written', () => {
  const { stream, text } = terminal(false);
  const progress = createProgress({ total: 10, label: 'facts', stream });
  progress.tick(10);
  progress.done();
  expect(text()).toBe('');
});

test('on a terminal the bar counts to its total, and is gone afterwards', () => {
  const { stream, text } = terminal(true);
  const signals = process.listenerCount('SIGINT');
  const progress = createProgress({ total: 200, label: 'facts', stream });
  expect(progress.total).toBe(200);
  expect(text()).toContain('0/200');
  progress.tick(200);
  progress.done();
  expect(text().length).toBeGreaterThan(0);
  expect(process.listenerCount('SIGINT')).toBe(signals);
});
