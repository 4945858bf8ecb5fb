import { expect, test } from 'vitest';
import { type Person } from '../../api/api-under-test.ts';
import { closeOf } from '../../store/close/closing.ts';
import { consoleUnderTest, OWN_PAGE } from '../console-under-test.ts';

/** Forms of the frame itself, which every visitor may send. */
const OF_THE_FRAME = /^\/console\/session/;

const DAY = '2025-11-20';

async function filledConsole() {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(1), { id: 'strange', stream: 'weather' });
  await open.record(closeOf(open, { day: DAY, cutOffAt: open.at + 1 }));
  const forms = console.app.routes
    .filter(({ method, path }) => method === 'POST' && !OF_THE_FRAME.test(path))
    .map(({ path }) => path);
  return { console, forms: [...new Set(forms)] };
}

test.for(['vera', 'audra'] as const satisfies Person[])(
  'no form of the console changes anything for %s, whose role acts on nothing',
  async (person) => {
    const { console, forms } = await filledConsole();
    const browser = await console.as(person);
    const { id } = console.open.openBreak('quarantined');
    const before = console.open.rows('SELECT count(*) AS facts FROM journal');
    expect(forms.length).toBeGreaterThanOrEqual(15);
    for (const form of forms) {
      const path = form.replace(':day', DAY).replaceAll(/:\w+(\{[^}]*\})?/g, id);
      const body = new URLSearchParams({
        reason: 'a reason',
        role: 'preparer',
        step: 'resolve',
        break: id,
        kept: id,
        network: 'ethereum',
        json: '{"default":{"confirmations":1}}',
      });
      const answer = await browser.request(path, { method: 'POST', body, headers: OWN_PAGE });
      const status = answer.status === 303 ? await landed(browser, answer) : answer.status;
      expect([form, status]).toEqual([form, expect.toBeOneOf([403, 404])]);
    }
    expect(console.open.rows('SELECT count(*) AS facts FROM journal')).toEqual(before);
  },
);

/** 403 where the next page says that the role does not allow the action. */
async function landed(browser: { get(path: string): Promise<string> }, answer: Response) {
  const page = await browser.get(answer.headers.get('Location') ?? '');
  return page.includes('This call needs the permission') ? 403 : 'done';
}
