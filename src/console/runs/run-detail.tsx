import type { Page } from '../../store/page.ts';
import type { ShownBreak } from '../../store/answers.ts';
import type { ReconciliationRow } from '../../store/records.ts';
import { Card } from '../../pages/parts/card.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age, Moment } from '../../pages/parts/value/moment.tsx';

type Counts = Readonly<Record<string, number>>;

/** The sum of all counts. */
export function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function Causes({ title, counts, none }: { title: string; counts: Counts; none: string }): Markup {
  const present = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <section class="causes">
      <h3>{title}</h3>
      {present.length === 0 ? (
        <p class="muted">{none}</p>
      ) : (
        <dl class="facts">
          {present.map(([cause, count]) => (
            <Fact name={cause.replaceAll('_', ' ')}>{grouped(count)}</Fact>
          ))}
        </dl>
      )}
    </section>
  );
}

/** Breaks that opened while the run compared, also those that webhooks opened meanwhile. */
function Opened({ opened: { items, total } }: { opened: Page<ShownBreak> }): Markup {
  return (
    <section>
      <h3>Breaks that opened during the run</h3>
      {items.length === 0 ? (
        <p class="muted">No break opened.</p>
      ) : (
        <ul class="related">
          {items.map(({ breakId, type, state }) => (
            <li>
              <a href={`/console/breaks/${breakId}`}>{`${type.replaceAll('_', ' ')} ${breakId}`}</a>{' '}
              <span class="muted">{state}</span>
            </li>
          ))}
        </ul>
      )}
      {total > items.length && <p class="foot">{`The first ${items.length} of ${total}.`}</p>}
    </section>
  );
}

/** One run: what it compared, and why it skipped or exempted something. */
export function RunDetail(shown: {
  run: ReconciliationRow;
  opened: Page<ShownBreak>;
  now: number;
}): Markup {
  const { run, opened, now } = shown;
  const { replayed, pulledForward, backfilled } = run.repairs;
  return (
    <Card id="run" title={`Run rec_${run.seq}`} aside={<a href="/console/runs">All runs</a>}>
      {run.incomplete !== null && (
        <p class="notice warn">
          The comparison with the custody API is incomplete: {run.incomplete.replaceAll('_', ' ')}.
        </p>
      )}
      <dl class="facts">
        <Fact name="Started">
          <Moment at={run.startedAt} />
        </Fact>
        <Fact name="Finished">
          <Moment at={run.finishedAt} /> (<Age at={run.finishedAt} now={now} /> ago)
        </Fact>
        <Fact name="Took">{`${grouped(run.finishedAt - run.startedAt)} ms`}</Fact>
        <Fact name="Requests to the custody API">{grouped(run.requests)}</Fact>
        <Fact name="Matched">{grouped(run.matched)}</Fact>
        <Fact name="Breaks">{grouped(run.broken)}</Fact>
      </dl>
      <div class="columns">
        <Causes title="Exempt, by rule" counts={run.exempt} none="No rule exempted a difference." />
        <Causes title="Skipped, by cause" counts={run.skipped} none="Nothing was skipped." />
        <Causes
          title="Repaired"
          counts={{ replayed, pulled_forward: pulledForward, backfilled }}
          none="No notification was missing."
        />
      </div>
      <Opened opened={opened} />
      <p class="foot">
        <a href={`/console/journal/${run.seq}`}>The fact of this run in the journal</a>
      </p>
    </Card>
  );
}
