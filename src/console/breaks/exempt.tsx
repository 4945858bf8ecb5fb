import type { BreakType } from '../../domain/break/break.ts';
import { EXEMPTIBLE_TYPES } from '../../domain/break/exemption.ts';
import type { ShownBreak } from '../../store/answers.ts';
import { Card } from '../parts/card.tsx';
import type { Markup } from '../parts/markup.ts';
import { PATH } from './filter.ts';

/** A proposed rule ends after so many days; a person may choose another end. */
const PROPOSED_DAYS = 30;
const DAY_MS = 86_400_000;

/** The words of an exemption rule that a person chooses. */
export interface RuleWords {
  readonly rule: string;
  readonly owner: string;
  /** `2026-12-31` */
  readonly until: string;
  readonly reason: string;
}

/** Reads the words from a query; proposes what it leaves out. */
export function ruleWordsOf(
  query: Readonly<Record<string, string>>,
  proposed: { owner: string; now: number },
): RuleWords {
  const end = new Date(proposed.now + PROPOSED_DAYS * DAY_MS).toISOString().slice(0, 10);
  return {
    rule: query['rule'] ?? '',
    owner: query['owner'] ?? proposed.owner,
    until: query['until'] ?? end,
    reason: query['why'] ?? '',
  };
}

/** The rule that exempts exactly this break, as the configuration holds it. */
export function ruleFor(one: ShownBreak, { rule, owner, until, reason }: RuleWords): object {
  const { vaultId, network, blockchainHash, asset } = one.subject;
  const parts = Object.entries({ vaultId, network, blockchainHash, asset }).filter(
    ([, value]) => value !== null,
  );
  return {
    rule,
    breakType: one.type,
    ...(Object.fromEntries(parts) as Record<string, string>),
    until,
    reason,
    owner,
  };
}

function isExemptible(type: BreakType): boolean {
  return (EXEMPTIBLE_TYPES as readonly BreakType[]).includes(type);
}

/** How to accept a known difference. Rules are part of the configuration, not of the API. */
export function ExemptCard({ one, chosen }: { one: ShownBreak; chosen: RuleWords }): Markup {
  if (one.state === 'resolved' || !isExemptible(one.type)) return <></>;
  const json = JSON.stringify(ruleFor(one, chosen), null, 2);
  const isComplete = chosen.rule !== '' && chosen.owner !== '' && chosen.reason !== '';
  return (
    <Card id="exempt" title="Exempt a known difference">
      <p>
        A rule accepts this difference until its end; it never causes a credit. Rules are in the
        configuration, so the console writes the rule and an administrator adds it.
      </p>
      <form class="filter" method="get" action={`${PATH}/${one.breakId}#exempt`}>
        <label class="field">
          <span>Rule</span>
          <input
            name="rule"
            value={chosen.rule}
            required
            pattern="[A-Za-z0-9][A-Za-z0-9 ._\-]{0,63}"
            title="At most 64 letters, digits, spaces or ._- that begin with a letter or digit"
            autocomplete="off"
          />
        </label>
        <label class="field">
          <span>Owner</span>
          <input name="owner" value={chosen.owner} required autocomplete="off" />
        </label>
        <label class="field">
          <span>End</span>
          <input name="until" type="date" value={chosen.until} required />
        </label>
        <label class="field">
          <span>Reason</span>
          <input name="why" value={chosen.reason} required autocomplete="off" />
        </label>
        <button>Write the rule</button>
      </form>
      {isComplete ? (
        <>
          <div class="raw-body">
            <pre tabindex={0} role="region" aria-label="The exemption rule">
              {json}
            </pre>
          </div>
          <button type="button" class="copy-text" data-copy={json}>
            Copy the rule
          </button>
          <ol class="steps">
            <li>
              Add the rule to <code>reconcile.exemptions</code> in the configuration.
            </li>
            <li>
              Check it: <code>counterfoil doctor --config config.json</code>
            </li>
            <li>Restart the daemon. The next run closes the break.</li>
          </ol>
        </>
      ) : (
        ''
      )}
    </Card>
  );
}
