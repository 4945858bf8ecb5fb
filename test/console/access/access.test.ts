import { expect, test } from 'vitest';
import { apiUnderTest, type Person } from '../../api/api-under-test.ts';
import { SIX_DEEP } from '../../store/open-ledger.ts';
import {
  Browser,
  consoleUnderTest,
  ConsoleUnderTest,
  OWN_PAGE,
  words,
} from '../console-under-test.ts';

const PATH = '/console/access';
const NEW_TOKEN = { name: 'desk', role: 'operator', reason: 'ticket 12' };

/** The token that the page shows once. */
async function issuedBy(answer: Response): Promise<string> {
  const token = /data-copy="([\w-]{43})"/.exec(await answer.text())?.[1];
  if (token === undefined) throw new Error('the page shows no token');
  return token;
}

async function signedInWith(console: ConsoleUnderTest, token: string): Promise<Browser> {
  const answer = await console.stranger.post('/console/session', { token });
  return new Browser(console.app, (answer.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '');
}

async function visitorOf(browser: Browser): Promise<string> {
  const page = await browser.get('/console/runs');
  return /<span class="visitor"> ?([^<]*?) ?</.exec(page)?.[1] ?? 'nobody';
}

test('an admin makes a token, which the page shows once, and its person signs in', async () => {
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  const answer = await ada.post(PATH, NEW_TOKEN);
  expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'no-store']);
  const token = await issuedBy(answer);
  const operator = await signedInWith(console, token);
  expect(await visitorOf(operator)).toBe('desk · operator');
  const page = await ada.get(PATH);
  expect(page).not.toContain(token);
  expect(words(page)).toMatch(/desk operator here active .*ada ticket 12/);
  expect(words(page)).toMatch(/vera viewer the configuration active .*change it in api.tokens/);
  expect(words(page)).toMatch(/People who signed in .* desk operator a token/);
});

test('a rotation or a revocation ends the sessions of the token at once', async () => {
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  const old = await signedInWith(console, await issuedBy(await ada.post(PATH, NEW_TOKEN)));
  const version = /name="version" value="(tok_\d+)"/.exec(await ada.get(PATH))?.[1] ?? '';
  const rotated = await ada.post(`${PATH}/desk/rotate`, { version, reason: 'yearly' });
  const operator = await signedInWith(console, await issuedBy(rotated));
  expect([await visitorOf(old), await visitorOf(operator)]).toEqual(['nobody', 'desk · operator']);
  const stale = await ada.post(`${PATH}/desk/rotate`, { version, reason: 'again' });
  expect(stale.status).toBe(409);
  expect(words(await stale.text())).toContain('was rotated since you read it');
  const page = words(await ada.send(`${PATH}/desk/revoke`, { reason: 'left the firm' }));
  expect(page).toContain('The token desk is revoked.');
  expect(page).toMatch(/desk operator here revoked .*left the firm revoked for good/);
  expect(await visitorOf(operator)).toBe('nobody');
});

test('a token with a wrong field answers 400 and names the field, and a used name 409', async () => {
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  expect((await ada.post(PATH, NEW_TOKEN)).status).toBe(200);
  const version = /name="version" value="(tok_\d+)"/.exec(await ada.get(PATH))?.[1] ?? '';
  const cases = [
    [PATH, { ...NEW_TOKEN, name: 'a b' }, 400, 'Name: must be 1 to 64 letters'],
    [PATH, { ...NEW_TOKEN, name: 'other', role: 'king' }, 400, 'Role: must be one of viewer'],
    [PATH, { ...NEW_TOKEN, name: 'other', reason: ' ' }, 400, 'Reason: must not be empty'],
    [PATH, NEW_TOKEN, 409, 'The name desk is used'],
    [`${PATH}/desk/rotate`, { version, reason: '' }, 400, 'Reason: must not be empty'],
    [
      `${PATH}/desk/rotate`,
      { version: '1', reason: 'yearly' },
      400,
      'version: must be the version',
    ],
    [`${PATH}/none/rotate`, { version, reason: 'yearly' }, 404, 'No token none was made'],
  ] as const;
  for (const [path, fields, status, text] of cases) {
    const answer = await ada.post(path, fields);
    expect([answer.status, words(await answer.text())]).toEqual([
      status,
      expect.stringContaining(text),
    ]);
  }
  expect(console.open.rows('SELECT * FROM token_changes')).toHaveLength(1);
});

test('an auditor reads the page and changes nothing; others have neither link nor page', async () => {
  const console = await consoleUnderTest();
  const [audra, olga] = [await console.as('audra'), await console.as('olga')];
  const page = await audra.get(PATH);
  expect(page).toContain('href="/console/access"');
  expect(page).not.toContain('Create a token');
  expect((await audra.post(PATH, NEW_TOKEN)).status).toBe(403);
  const refused = await olga.request(PATH);
  expect(refused.status).toBe(403);
  expect(words(await refused.text())).toContain(
    'Only the roles admin and auditor may read who has tokens and who has signed in. Your role is operator: ask',
  );
  expect(await olga.get('/console')).not.toContain('href="/console/access"');
  expect(console.open.rows('SELECT * FROM token_changes')).toEqual([]);
});

test('the audit log names the person, the change and the reason', async () => {
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  await ada.post(PATH, NEW_TOKEN);
  await ada.send(`${PATH}/desk/revoke`, { reason: 'left the firm' });
  const page = words(await ada.get('/console/audit'));
  expect(page).toContain('created the token desk with the role operator');
  expect(page).toContain('revoked the token desk');
  expect(page).toContain('left the firm');
});

test('a rotation keeps the role of the token unless an admin chooses another, and the audit log names it', async () => {
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  await ada.post(PATH, NEW_TOKEN);
  const page = await ada.get(PATH);
  const form = /<form method="post" action="[^"]*\/desk\/rotate">.*?<\/form>/.exec(page)?.[0] ?? '';
  expect(form).toContain('<option value="operator" selected');
  const version = /name="version" value="(tok_\d+)"/.exec(form)?.[1] ?? '';
  const rotation = { version, role: 'viewer', reason: 'moved to support' };
  const token = await issuedBy(await ada.post(`${PATH}/desk/rotate`, rotation));
  expect(await visitorOf(await signedInWith(console, token))).toBe('desk · viewer');
  expect(words(await ada.get('/console/audit'))).toContain(
    'rotated the token desk, with the role viewer moved to support',
  );
});

test('a revocation of a token that was rotated since the page was read is refused', async () => {
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  await ada.post(PATH, NEW_TOKEN);
  const page = await ada.get(PATH);
  const basis = /name="basis" value="(tok_\d+)"/.exec(page)?.[1] ?? '';
  await ada.post(`${PATH}/desk/rotate`, { version: basis, reason: 'yearly' });
  const revoke = { basis, reason: 'left the firm' };
  const stale = words(await ada.send(`${PATH}/desk/revoke`, revoke));
  expect(stale).toContain('The token desk was rotated since you read it. Nothing was done');
  expect(stale).toMatch(/desk operator here active/);
});

test('an admin signs one session of a person out, with a reason that the audit shows', async () => {
  const console = await consoleUnderTest();
  const [first, second] = [await console.as('olga'), await console.as('olga')];
  const ada = await console.as('ada');
  const page = await ada.get(PATH);
  expect(words(page)).toMatch(/Open sessions .* ada admin a token .* olga operator a token /);
  const ids = [...page.matchAll(/sessions\/(ses_[0-9a-f]{16})\/end/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(3);
  const newestOfOlga = ids[1] ?? '';
  const ended = words(
    await ada.send(`${PATH}/sessions/${newestOfOlga}/end`, { reason: 'a lost phone' }),
  );
  expect(ended).toContain('The person is signed out.');
  expect([await visitorOf(first), await visitorOf(second)]).toEqual(['olga · operator', 'nobody']);
  expect(await ada.get(PATH)).not.toContain(newestOfOlga);
  expect(words(await ada.get('/console/audit'))).toMatch(
    /ada .*signed olga out, session ses_.* a lost phone/,
  );
  const again = await ada.send(`${PATH}/sessions/${newestOfOlga}/end`, { reason: 'again' });
  expect(words(again)).toContain(`No session ${newestOfOlga} is open.`);
});

test('a session ends although the store does not take the decision', async () => {
  const busy = { submit: () => Promise.resolve({ kind: 'busy' } as const) };
  const console = new ConsoleUnderTest(await apiUnderTest(SIX_DEEP, busy));
  const [olga, ada] = [await console.as('olga'), await console.as('ada')];
  const [newest] = console.api.people.sessions.list().filter(({ name }) => name === 'olga');
  const answer = await ada.send(`${PATH}/sessions/${newest?.sessionId}/end`, { reason: 'stolen' });
  expect(words(answer)).toContain('The session has ended. The store did not confirm the decision');
  expect(await visitorOf(olga)).toBe('nobody');
});

test('a form whose session ends while its body is on the way does nothing', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  const [session] = console.api.people.sessions.list();
  let arrive: () => void = () => undefined;
  const body = new ReadableStream({
    start: (stream) => {
      arrive = () => {
        stream.enqueue(new TextEncoder().encode('scope=everything&reason=late'));
        stream.close();
      };
    },
  });
  const sent = olga.request('/console/policy/halt', {
    method: 'POST',
    headers: {
      ...OWN_PAGE,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': '28',
    },
    body,
    duplex: 'half',
  });
  console.api.people.sessions.end(session?.sessionId ?? '');
  arrive();
  await sent;
  expect(console.open.bodies('decision').join()).not.toContain('late');
});

test.for<[Person, boolean, boolean]>([
  ['vera', false, false],
  ['chris', false, false],
  ['fiona', false, false],
  ['olga', false, false],
  ['ada', true, true],
  ['audra', true, false],
])('%s sees the open sessions: %s, and may sign people out: %s', async ([person, sees, may]) => {
  const console = await consoleUnderTest();
  const [otto, browser] = [await console.as('otto'), await console.as(person)];
  const page = await browser.get(PATH);
  expect([page.includes('Open sessions'), page.includes('Sign otto out…')]).toEqual([sees, may]);
  const open = console.api.people.sessions.list().find(({ name }) => name === 'otto');
  const path = `${PATH}/sessions/${open?.sessionId}/end`;
  const answer = await browser.post(path, { reason: 'x' });
  expect(answer.status).toBe(may ? 303 : 403);
  expect(await visitorOf(otto)).toBe(may ? 'nobody' : 'otto · operator');
});
