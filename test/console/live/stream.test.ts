import { expect, onTestFinished, test } from 'vitest';
import { topicsOf } from '../../../src/console/live/topics.ts';
import { consoleUnderTest, OWN_PAGE } from '../console-under-test.ts';

/** The events of an open page's stream, as they arrive: `changed: runs breaks`. */
async function eventsOf(answer: Response): Promise<{ next: () => Promise<string> }> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('the answer has no body');
  onTestFinished(() => reader.cancel());
  let text = '';
  return {
    next: async () => {
      while (!text.includes('\n\n')) {
        const { value, done } = await reader.read();
        if (done) return 'end';
        text += value;
      }
      const [event = '', ...rest] = text.split('\n\n');
      text = rest.join('\n\n');
      const [, name = '', data = ''] = /event: (\w+)\ndata: ?(.*)/.exec(event) ?? [];
      return data === '' ? name : `${name}: ${data}`;
    },
  };
}

test('each kind of fact names the parts that it changes', () => {
  expect([...topicsOf(['run'])]).toEqual(['runs', 'breaks']);
  expect([...topicsOf(['sign', 'assign'])]).toEqual(['close', 'breaks']);
  expect([...topicsOf(['notification'])]).toContain('deposits');
  expect([...topicsOf(['halt'])]).toContain('policy');
  expect([...topicsOf([])]).toEqual([]);
});

test('an open page hears at once what a commit changed, and what follows together', async () => {
  const { changes, as } = await openConsole();
  const events = await eventsOf(await (await as('vera')).request('/console/live'));
  expect(await events.next()).toBe('hello');
  changes.committed(new Set(['run']));
  expect(await events.next()).toBe('changed: runs breaks');
  changes.committed(new Set(['sign']));
  changes.committed(new Set(['sign']));
  changes.committed(new Set(['assign']));
  expect(await events.next()).toBe('changed: close breaks');
});

test('the stream ends with the session, and does not extend it', async () => {
  const clock = { now: 0 };
  const { changes, as } = await openConsole({ now: () => clock.now, idleMsMax: 1_000 });
  const events = await eventsOf(await (await as('vera')).request('/console/live'));
  expect(await events.next()).toBe('hello');
  clock.now = 1_000;
  changes.committed(new Set(['run']));
  expect(await events.next()).toBe('ended');
  expect(await events.next()).toBe('end');
});

test('signing out ends the stream of the session', async () => {
  const { changes, as } = await openConsole();
  const vera = await as('vera');
  const events = await eventsOf(await vera.request('/console/live'));
  expect(await events.next()).toBe('hello');
  await vera.request('/console/session/end', { method: 'POST', headers: OWN_PAGE });
  changes.committed(new Set(['run']));
  expect(await events.next()).toBe('ended');
});

test('a shutdown ends every stream, and no listener is left', async () => {
  const { changes, as } = await openConsole();
  const events = await eventsOf(await (await as('vera')).request('/console/live'));
  expect(await events.next()).toBe('hello');
  expect(changes.listening).toBe(1);
  changes.close();
  expect(await events.next()).toBe('end');
  expect(changes.listening).toBe(0);
});

test('two hundred pages are open at most', async () => {
  const { as } = await openConsole();
  const vera = await as('vera');
  for (let open = 0; open < 200; open += 1) {
    const events = await eventsOf(await vera.request('/console/live'));
    expect(await events.next()).toBe('hello');
  }
  expect((await vera.request('/console/live')).status).toBe(503);
});

async function openConsole(options: Parameters<typeof consoleUnderTest>[0] = {}) {
  const console = await consoleUnderTest(options);
  return { changes: console.changes, as: console.as.bind(console) };
}
