import { expect, test } from 'vitest';
import { Circuit } from '../../../src/custody/call/circuit.ts';

function opened(): { circuit: Circuit; clock: { now: number } } {
  const clock = { now: 0 };
  const circuit = new Circuit({ now: () => clock.now });
  for (let failure = 0; failure < 5; failure += 1) circuit.failed();
  return { circuit, clock };
}

test('four failures in a row leave it closed, the fifth opens it', () => {
  const circuit = new Circuit({ now: () => 0 });
  for (let failure = 0; failure < 4; failure += 1) circuit.failed();
  expect(circuit.state()).toEqual({ kind: 'closed', failures: 4 });
  expect(circuit.admit()).toEqual({ kind: 'go' });
  circuit.failed();
  expect(circuit.state()).toEqual({ kind: 'open', retryAtMs: 2_000, failures: 5 });
  expect(circuit.admit()).toEqual({ kind: 'open', retryAtMs: 2_000 });
});

test('a success in between starts the count again', () => {
  const circuit = new Circuit({ now: () => 0 });
  for (let failure = 0; failure < 4; failure += 1) circuit.failed();
  circuit.succeeded();
  circuit.failed();
  expect(circuit.state()).toEqual({ kind: 'closed', failures: 1 });
});

test('half-open admits one request, and its success closes the circuit', () => {
  const { circuit, clock } = opened();
  clock.now = 2_000;
  expect(circuit.admit()).toEqual({ kind: 'go' });
  expect(circuit.state().kind).toBe('half-open');
  expect(circuit.admit().kind).toBe('open');
  circuit.succeeded();
  expect(circuit.state()).toEqual({ kind: 'closed', failures: 0 });
});

test('each failed try doubles the wait, up to 30 s', () => {
  const { circuit, clock } = opened();
  const waits: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const state = circuit.state();
    if (state.kind !== 'open') throw new Error(state.kind);
    waits.push(state.retryAtMs - clock.now);
    clock.now = state.retryAtMs;
    expect(circuit.admit()).toEqual({ kind: 'go' });
    circuit.failed();
  }
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test('late failures of requests sent before the opening do not prolong it', () => {
  const { circuit, clock } = opened();
  clock.now = 1_500;
  circuit.failed();
  expect(circuit.state()).toMatchObject({ kind: 'open', retryAtMs: 2_000 });
});

test('a try whose end nobody reports is given up after 30 s', () => {
  const { circuit, clock } = opened();
  clock.now = 2_000;
  circuit.admit();
  clock.now = 32_000;
  expect(circuit.admit()).toEqual({ kind: 'go' });
});

test('a clock that is set back keeps it open for 30 s at most', () => {
  const { circuit, clock } = opened();
  clock.now = -10_000_000;
  // Whoever looks before asking must see the bound too, or nobody would ever ask.
  expect(circuit.state()).toMatchObject({ kind: 'open', retryAtMs: -10_000_000 + 30_000 });
  expect(circuit.admit()).toEqual({ kind: 'open', retryAtMs: -10_000_000 + 30_000 });
});
