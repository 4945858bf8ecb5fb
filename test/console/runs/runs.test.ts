import { expect, test } from 'vitest';
import { AT_ADDRESS, change } from '../../store/webhook.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';

async function recordRun(console: Awaited<ReturnType<typeof consoleUnderTest>>): Promise<string> {
  const { open } = console;
  await open.record({
    kind: 'run',
    startedAt: open.at,
    graceMs: 0,
    custody: { matched: 12_345, broken: 1, exempt: { internal: 2 }, skipped: { in_grace: 3 } },
    requests: 4,
    watermark: null,
    incomplete: 'rate_budget',
    repairs: { replayed: 4, pulledForward: 1, backfilled: 0 },
  });
  return String(open.rows<{ seq: number }>('SELECT max(seq) AS seq FROM reconciliations')[0]?.seq);
}

test('runs are listed with their results, and each leads to its causes', async () => {
  const console = await consoleUnderTest();
  const seq = await recordRun(console);
  const vera = await console.as('vera');
  const list = await vera.get('/console/runs');
  expect(words(list)).toMatch(new RegExp(`rec_${seq} .* incomplete 12_345 1 2 3 4 `));
  expect(list).toContain(`<a href="/console/runs/${seq}">rec_${seq}</a>`);
  expect(list).toContain('data-live="runs"');
  const detail = words(await vera.get(`/console/runs/${seq}`));
  expect(detail).toContain('The comparison with the custody API is incomplete: rate budget.');
  expect(detail).toContain('Exempt, by rule internal 2');
  expect(detail).toContain('Skipped, by cause in grace 3');
  expect(detail).toContain('Repaired replayed 4 pulled forward 1');
  expect(words(await vera.get(`/console/runs/rec_${seq}`))).toContain(`Run rec_${seq} All runs`);
});

test('a run that broke nothing says so, and does not call the books clean', async () => {
  const console = await consoleUnderTest();
  await console.open.run();
  const list = words(await (await console.as('vera')).get('/console/runs'));
  expect(list).toContain('no new difference');
  expect(list).not.toContain('clean');
});

test('a run that is not there is answered in the frame', async () => {
  const vera = await (await consoleUnderTest()).as('vera');
  const answer = await vera.request('/console/runs/99');
  expect(answer.status).toBe(404);
  expect(words(await answer.text())).toContain('There is no run rec_99.');
});

test('an operator runs one and reads that it ran; a viewer has no button, and is refused', async () => {
  const console = await consoleUnderTest();
  const [olga, vera] = [await console.as('olga'), await console.as('vera')];
  expect(await vera.get('/console/runs')).not.toContain('Run now');
  expect(words(await vera.send('/console/runs'))).toContain(
    'Your role does not allow this Only the roles operator and admin may start a reconciliation. Your role is viewer: ask a person with one of these roles.',
  );
  expect(console.open.rows('SELECT * FROM reconciliations')).toEqual([]);
  expect(await olga.get('/console/runs')).toContain('Run now');
  expect(words(await olga.send('/console/runs', { reason: '' }))).toContain('must not be empty');
  const ran = words(await olga.send('/console/runs', { reason: 'the bank asks' }));
  expect(ran).toContain('The reconciliation has run.');
  expect(words(await vera.get('/console/audit'))).toContain(
    'olga ran a reconciliation by hand the bank asks',
  );
  // The message is shown once.
  expect(await olga.get('/console/runs')).not.toContain('The reconciliation has run.');
  expect(console.open.rows('SELECT * FROM reconciliations')).toHaveLength(1);
});

test('fifty runs fill a page, and the older ones are on the next', async () => {
  const console = await consoleUnderTest();
  for (let number = 0; number < 51; number += 1) await console.open.run();
  const vera = await console.as('vera');
  const first = await vera.get('/console/runs');
  expect(words(first)).toContain('Previous 1–50 of 51 Next');
  expect(first).toContain('<a href="/console/runs?page=1" rel="next">');
  expect(words(await vera.get('/console/runs?page=1'))).toContain('Previous 51–51 of 51 Next');
});

test('a run leads to its fact in the journal and to the breaks that opened while it ran', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver('not json');
  open.at += 60_000;
  await open.deliver(
    service.chain('transaction', { balanceChanges: [change('1500', AT_ADDRESS)] }),
  );
  open.at += 60_000;
  await open.run();
  const { id } = open.openBreak('unexplained_movement');
  const seq = open.rows<{ seq: number }>('SELECT seq FROM reconciliations')[0]?.seq;
  const page = await (await console.as('vera')).get(`/console/runs/${seq}`);
  expect(page).toContain(`<a href="/console/breaks/${id}">`);
  expect(page).toContain(`<a href="/console/journal/${seq}">`);
  expect(page).not.toContain(open.openBreak('malformed').id);
});
