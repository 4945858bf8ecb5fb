import { expect, test } from 'vitest';
import { exemptionOf } from '../../../src/domain/break/exemption.ts';
import { ruleFor, ruleWordsOf } from '../../../src/console/breaks/exempt.tsx';
import { parseConfig, WHOLE } from '../../../src/ops/config/config.ts';
import { ANY_FILE } from '../../docs/names.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';
import { moveUnexplained } from './broken.ts';

test('the rule that a page writes is a configuration’s, and covers exactly its break', async () => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 2);
  const { items } = await console.api.reads.breaks({}, { page: 0, pageSize: 2 });
  const [one, other] = items;
  if (one === undefined || other === undefined) throw new Error('not two breaks');
  const query = { rule: 'old wallet', owner: 'finance', until: '2025-12-31', why: 'ticket 1' };
  const rule = ruleFor(one, ruleWordsOf(query, { owner: 'olga', now: console.open.at }));
  const parsed = parseConfig(
    {
      store: 'sqlite:a.db',
      intake: { pathTokens: ['a'.repeat(32)] },
      crediting: { default: { confirmations: 6 } },
      reconcile: { exemptions: [rule] },
    },
    { part: WHOLE, folder: '/', checks: ANY_FILE },
  );
  if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed));
  const rules = parsed.config.reconcile.exemptions;
  const at = console.open.at;
  expect(exemptionOf(one, { rules, at })?.rule).toBe('old wallet');
  expect(exemptionOf(other, { rules, at })).toBeUndefined();
});

test('a break shows how to exempt it, and the rule once its words are chosen', async () => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 1);
  await console.open.deliver('not json');
  const olga = await console.as('olga');
  const at = `/console/breaks/${console.open.openBreak('unexplained_movement').id}`;
  const before = await olga.get(at);
  expect(before).toContain('name="owner" value="olga"');
  expect(before).toContain('name="until" type="date" value="2025-12-20"');
  expect(words(before)).not.toContain('Copy the rule');
  const page = words(await olga.get(`${at}?rule=old+wallet&owner=olga&until=2025-12-31&why=dust`));
  expect(page).toContain('"rule": "old wallet", "breakType": "unexplained_movement"');
  expect(page).toContain('"until": "2025-12-31", "reason": "dust", "owner": "olga"');
  expect(page).toContain('Add the rule to reconcile.exemptions in the configuration.');
  // No rule exempts a body.
  const malformed = `/console/breaks/${console.open.openBreak('malformed').id}`;
  expect(words(await olga.get(malformed))).not.toContain('Exempt a known difference');
});
