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

/** Which of the six roles may send a form, by the beginning of its path; the first match counts. */
const MAY_SEND: readonly (readonly [RegExp, readonly Person[]])[] = [
  [/^\/console\/breaks\/:id\/decimals/, ['ada']],
  [/^\/console\/(breaks|close)\//, ['fiona', 'olga', 'ada']],
  [/^\/console\/policy\/(review|set)/, ['ada']],
  [/^\/console\/access/, ['ada']],
  [/^\/console\/(deposits|quarantine|policy|runs)/, ['olga', 'ada']],
];
const PEOPLE = ['vera', 'chris', 'fiona', 'olga', 'ada', 'audra'] as const satisfies Person[];

function maySend(person: Person, form: string): boolean {
  const [, people] = MAY_SEND.find(([path]) => path.test(form)) ?? [];
  if (people === undefined) throw new Error(`${form}: say in MAY_SEND who may send it`);
  return people.includes(person);
}

test.for(PEOPLE)(
  '%s sends every form, and those that the role forbids change nothing',
  async (person) => {
    const { console, forms } = await filledConsole();
    const browser = await console.as(person);
    const { id } = console.open.openBreak('quarantined');
    expect(forms.length).toBeGreaterThanOrEqual(15);
    for (const form of forms) {
      const path = form
        .replace(':day', DAY)
        .replace(/:step\{[^}]*\}/, 'resolve')
        .replaceAll(/:\w+(\{[^}]*\})?/g, id);
      const body = new URLSearchParams({
        reason: 'a reason',
        role: 'preparer',
        step: 'resolve',
        break: id,
        kept: id,
        network: 'ethereum',
        asset: 'ethereum:ETH',
        json: '{"default":{"confirmations":1}}',
      });
      const before = console.open.journalLength();
      const answer = await browser.request(path, { method: 'POST', body, headers: OWN_PAGE });
      const status = answer.status === 303 ? await landed(browser, answer) : answer.status;
      const may = maySend(person, form);
      const isUnchanged = console.open.journalLength() === before;
      expect([form, status === 403, may || isUnchanged]).toEqual([form, !may, true]);
    }
  },
);

/** 403 where the next page says that the role does not allow the action. */
async function landed(browser: { get(path: string): Promise<string> }, answer: Response) {
  const page = await browser.get(answer.headers.get('Location') ?? '');
  return page.includes('Your role does not allow this') ? 403 : 'done';
}
