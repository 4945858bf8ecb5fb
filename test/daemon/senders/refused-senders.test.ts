import { expect, test } from 'vitest';
import { RefusedSenders } from '../../../src/daemon/senders/refused-senders.ts';
import { createLog } from '../../../src/ops/log.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly refused: number;
  readonly certificate?: string;
}

function watched() {
  const clock = { now: 5_000 };
  const lines: Line[] = [];
  const destination = { write: (text: string) => void lines.push(JSON.parse(text) as Line) };
  const log = createLog({ level: 'info', destination });
  return { clock, lines, senders: new RefusedSenders({ log, now: () => clock.now }) };
}

test('the first refused certificate is told at once, then one a minute with the count since', () => {
  const { clock, lines, senders } = watched();
  const told: [atMs: number, refused: number, certificate: string | undefined][] = [];
  const refuse = (certificate: string): void => {
    const before = lines.length;
    senders.certificate('x-client', certificate);
    for (const line of lines.slice(before)) told.push([clock.now, line.refused, line.certificate]);
  };
  refuse('a');
  refuse('a');
  clock.now += 59_999;
  refuse('b');
  clock.now += 1;
  refuse('c');
  clock.now += 60_000;
  refuse('d');
  expect(told).toEqual([
    [5_000, 1, 'a'],
    [65_000, 3, 'c'],
    [125_000, 1, 'd'],
  ]);
});

test('the line says what came, and what to do', () => {
  const { lines, senders } = watched();
  senders.certificate('x-client', 'AB:CD');
  expect(lines).toMatchObject([{ level: 'warn', certificate: 'AB:CD' }]);
  expect(lines[0]?.msg).toMatch(
    /"AB:CD" is not in intake\.clientCertificate\.allow.*add exactly this text/,
  );
});

test('of a proxy that hands on nothing the header is named', () => {
  const { lines, senders } = watched();
  senders.certificate('x-client', null);
  expect(lines.map(({ refused }) => refused)).toEqual([1]);
  expect(lines[0]?.msg).toContain('the header x-client');
});

test('of a long value the beginning is told', () => {
  const { lines, senders } = watched();
  senders.certificate('x-client', 'f'.repeat(16_000));
  expect(lines[0]?.certificate).toBe(`${'f'.repeat(300)}…`);
});

test('unknown path tokens and connections are counted apart from certificates', () => {
  const { clock, lines, senders } = watched();
  senders.certificate('x-client', 'a');
  senders.token();
  senders.token();
  clock.now += 60_000;
  senders.token();
  expect(lines.map(({ refused }) => refused)).toEqual([1, 1, 2]);
  expect(lines[2]?.msg).toContain('intake.pathTokens');
  senders.connection('none was shown');
  expect(lines[3]).toMatchObject({ refused: 1, cause: 'none was shown' });
});
