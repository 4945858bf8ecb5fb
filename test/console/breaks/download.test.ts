import { expect, test } from 'vitest';
import { severalBreaks } from './several-breaks.ts';

test('the queue is downloaded as it is filtered, with figures in the unit and in smallest units', async () => {
  const console = await severalBreaks();
  const vera = await console.as('vera');
  const page = await vera.get('/console/breaks?type=unexplained_movement&amount=1.5');
  const link = '/console/breaks.csv?type=unexplained_movement&amp;amount=1.5';
  expect(page).toContain(`href="${link}"`);
  expect(page).toContain(`href="${link.replace('.csv', '.xlsx')}"`);
  const answer = await vera.request(link.replaceAll('&amp;', '&'));
  expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="breaks.csv"');
  const [head = '', ...lines] = (await answer.text()).trimEnd().split('\r\n');
  expect(head).toContain('asset,theirs,theirsUnits,ours,oursUnits,difference,differenceUnits');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain(
    ',ethereum:ETH,1.500000000000000000,1500000000000000000,0.000000000000000000,0,-1.500000000000000000,-1500000000000000000,',
  );
  expect(lines[0]).toContain('1.5 ETH');
  expect(lines[0]).not.toContain('1500000000000000000 ');
  const workbook = await vera.request('/console/breaks.xlsx');
  expect(
    Buffer.from(await workbook.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK');
});
