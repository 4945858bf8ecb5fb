import { expect, test } from 'vitest';
import { consoleUnderTest, words } from '../console-under-test.ts';
import { closeTwoDays } from './closed-day.ts';

test('before the first close, days end in the configured time zone', async () => {
  const console = await consoleUnderTest({ timezone: 'Asia/Bishkek' });
  const vera = await console.as('vera');
  expect(words(await vera.get('/console/close'))).toContain(
    'Days end at midnight in the time zone Asia/Bishkek.',
  );
});

test('a month without a closed day says when the next close is, and how a person closes a day', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver({ id: 'strange', stream: 'weather' });
  const [vera, fiona] = [await console.as('vera'), await console.as('fiona')];
  const page = words(await fiona.get('/console/close'));
  expect(page).toContain(
    'Days end at midnight in the time zone UTC. The next close is due 2025-11-21 00:05:00 UTC . It closes every day that has ended by then.',
  );
  expect(page).toContain(
    'No day of this month is closed yet. 2025-11-20 ends at midnight. Then wait for the next close, or open 2025-11-20 and choose Close now .',
  );
  expect(words(await vera.get('/console/close'))).toContain(
    '2025-11-20 ends at midnight. Then wait for the next close.',
  );
  expect(page).not.toMatch(/curl|reconcile\.close/);
  await closeTwoDays(console);
  expect(await (await console.as('vera')).get('/console/close')).not.toContain(
    'No day of this month',
  );
});

test('the page of a day without a close says when the next close is, and what to do until then', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver({ id: 'strange', stream: 'weather' });
  const next = 'The next close is due 2025-11-21 00:05:00 UTC . It closes every day that has ended';
  const open = words(await (await console.as('fiona')).get('/console/close/2025-11-20'));
  expect(open).toContain(`2025-11-20 is open: it ends at midnight, UTC. ${next}`);
  console.open.at = Date.UTC(2025, 10, 22, 12);
  const [vera, fiona] = [await console.as('vera'), await console.as('fiona')];
  const due = '/console/close/2025-11-21';
  expect(words(await fiona.get(due))).toContain(
    `${next} by then. To close it sooner, choose Close now .`,
  );
  expect(words(await vera.get(due))).toContain(
    `${next} by then. To close it sooner, ask a person with role finance, operator or admin.`,
  );
  expect(words(await vera.get('/console/close/2025-11-23'))).toContain(
    '2025-11-23 has not begun. Choose a day in the calendar .',
  );
  const none = await vera.get('/console/close/2025-11-01');
  expect(words(none)).toContain(
    'The journal has nothing of 2025-11-01. Choose a day in the calendar .',
  );
});

test('a month without a closed day leads to the day that has ended, which closes with a button', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver({ id: 'strange', stream: 'weather' });
  console.open.at = Date.UTC(2025, 10, 22, 12);
  const [olga, vera] = [await console.as('olga'), await console.as('vera')];
  const page = await olga.get('/console/close');
  expect(words(page)).toContain(
    '2025-11-21 has ended: open 2025-11-21 and choose Close now , or wait for the next close.',
  );
  expect(page).toContain('open <a href="/console/close/2025-11-21">');
  expect(await olga.get('/console/close/2025-11-21')).toContain('Close now');
  expect(words(await vera.get('/console/close'))).toContain(
    '2025-11-21 has ended: wait for the next close, or ask a person with role finance, operator or admin.',
  );
});
