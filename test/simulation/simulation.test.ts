import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Auditor } from './audit/auditor.ts';
import { copyStore } from './store-counts.ts';
import { simulate } from './simulation.ts';
import type { Verdict } from './verdict.ts';

const SEEDS = Array.from({ length: 5 }, (_, index) => index + 1);
/** Shorter than a soak's: five runs take less than a minute of one processor. */
const STEPS = 45;
/** Real time for a run that takes a second or two on a machine that has nothing else to do. */
const RUN_MS_MAX = 240_000;

/** Empty when every promise held, else what to read and how to see it happen again. */
function story({ seed, problems, tail }: Verdict): string {
  if (problems.length === 0) return '';
  const replay = `replay it with: npm run soak -- --seed ${seed} --steps ${STEPS}`;
  return [`seed ${seed}: ${replay}`, ...problems, '…', ...tail].join('\n');
}

/** What each seed gave, for the tests that compare it with another run. */
const played = new Map<number, Verdict>();

test.each(SEEDS)(
  'whatever goes wrong, books are the chain’s and every deposit is credited once (seed %i)',
  async (seed) => {
    const verdict = await simulate(seed, { steps: STEPS });
    played.set(seed, verdict);
    expect(story(verdict)).toBe('');
    expect(verdict.extent['acknowledged']).toBeGreaterThan(20);
    expect(verdict.extent['sweeps']).toBeGreaterThan(5);
  },
  RUN_MS_MAX,
);

test.each([2, 5])(
  'the same seed gives the same events and the same journal (seed %i)',
  async (seed) => {
    // The runs above, or a new one when this test runs alone.
    const first = played.get(seed) ?? (await simulate(seed, { steps: STEPS }));
    played.delete(seed);
    const second = await simulate(seed, { steps: STEPS });
    expect(second.digest).toBe(first.digest);
    expect(second.extent).toEqual(first.extent);
    for (const other of played.values()) expect(other.digest).not.toBe(first.digest);
  },
  RUN_MS_MAX,
);

test(
  'a credit is as deep as the policy wants when it is mined again while the API answers for others (seed 20216)',
  async () => {
    expect(story(await simulate(20216, { closes: false }))).toBe('');
  },
  RUN_MS_MAX,
);

/** Audits one run once more against evidence that is not so; answers what the auditor says. */
test(
  'the auditor notices each kind of untruth',
  async () => {
    const said: Record<string, readonly string[]> = {};
    const honest = await simulate(6, {
      steps: STEPS,
      falseWebhooks: false,
      closes: true,
      inspect: (path, evidence) => {
        const audit = (name: string, changed: Partial<typeof evidence>): void => {
          said[name] = new Auditor(path, { ...evidence, ...changed }).audit();
        };
        const { transactions, balances, ruleOf, acknowledged } = evidence;
        const [first, ...rest] = balances;
        if (first === undefined) throw new Error('nothing was held');
        const paid = transactions.filter(
          ({ status, transactionId }) => status === 'confirmed' && transactionId === null,
        );
        audit('richer', { balances: [{ ...first, amount: first.amount + 1n }, ...rest] });
        audit('less paid', {
          transactions: transactions.filter((one) => one !== paid[0]),
        });
        audit('never deep', { depthsAtCredit: new Map() });
        audit('no address', { networkAddresses: new Map() });
        audit('all dust', {
          ruleOf: (network, asset) => ({ ...ruleOf(network, asset), minimum: 10n ** 80n }),
        });
        audit('an unseen delivery', {
          acknowledged: [...acknowledged, Buffer.from('{"id":"n-1","timestamp":1}')],
        });
        audit('a lie without a trace', {
          falseWebhooks: [
            {
              kind: 'made up',
              hashes: ['0x1'],
              transactionId: null,
              id: 'x',
              leaves: 'id_conflict',
              excuses: true,
            },
          ],
        });
        const doubtful = `${path}-doubtful`;
        copyStore(path, doubtful);
        const store = new Sqlite(doubtful);
        store.exec(
          `UPDATE withdrawals SET custody = 'unasked';
           INSERT INTO own_hashes
              SELECT max(hash_id), 'ethereum', '0xdoubtful', 'nobody', 'claimed' FROM hashes`,
        );
        store.close();
        said['believed'] = new Auditor(doubtful, evidence).audit();
        const resealed = `${path}-resealed`;
        copyStore(path, resealed);
        const closed = new Sqlite(resealed);
        closed.exec(
          `DROP TRIGGER daily_closes_keep;
           UPDATE daily_closes SET report = replace(report, '"opening":"', '"opening":"9')`,
        );
        closed.close();
        said['another report'] = new Auditor(resealed, evidence).audit();
        return new Auditor(path, evidence).audit();
      },
    });
    expect(story(honest)).toBe('');
    expect(said['richer']?.join()).toMatch(/^books at .*: \d+, the chain holds \d+,chain at /);
    expect(said['less paid']?.join()).toMatch(/books of .*the chain moved 0.*due 0/);
    expect(said['never deep']?.join()).toMatch(/is credited and was never \d+ deep/);
    expect(said['no address']?.join()).toMatch(/names \w{8,}, the address is undefined/);
    expect(said['all dust']?.join()).toMatch(/credited for .*, due 0/);
    expect(said['an unseen delivery']).toEqual(['acknowledged and lost: n-1']);
    expect(said['believed']?.join()).toMatch(
      /a withdrawal rests on webhooks alone: .*a hash called our own rests on webhooks alone: /,
    );
    expect(said['another report']?.join()).toMatch(
      /the report of \S+: \S+ \S+ closes with \d+, its parts are 9\d+,.*the report of \S+: continues /,
    );
    expect(said['less paid']?.join()).toMatch(
      /deposits of .* in the reports are \d+, customers paid /,
    );
    expect(said['a lie without a trace']).toEqual([
      'the lie x (made up) left no break id_conflict',
    ]);
  },
  RUN_MS_MAX,
);
