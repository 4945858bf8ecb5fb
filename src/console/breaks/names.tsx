import type { Break, BreakSubject } from '../../domain/break/break.ts';
import type { ShownBreak } from '../../store/answers.ts';
import { subjectLink, type Subject as Thing } from '../parts/subject-link.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { breakText } from '../../domain/break/shown-text.ts';
import { Prose } from '../parts/value/prose.tsx';

/** A break's sentence, with its amounts in the asset's own unit. */
export function Detail({ one, decimals }: { one: ShownBreak; decimals: Decimals }): Markup {
  return <Prose text={breakText(one)} asset={one.subject.asset} decimals={decimals} />;
}

/** The parts of a subject that have a page of their own. */
const PAGES = {
  blockchainHash: 'hash',
  transactionId: 'withdrawal',
  depositId: 'deposit',
} as const satisfies Partial<Record<keyof BreakSubject, Thing>>;

/** One part of a subject, with a link where the console has a page about it. */
export function SubjectPart(part: { name: keyof BreakSubject; value: string }): Markup {
  const { name, value } = part;
  const thing: Thing | undefined = PAGES[name as keyof typeof PAGES];
  const href = thing === undefined ? undefined : subjectLink(thing, value);
  return <Identifier value={value} href={href} />;
}

/** From the narrowest. */
const NARROWEST = ['blockchainHash', 'transactionId', 'depositId', 'vaultId', 'network'] as const;

/** What a break is about: its hash, transaction, deposit, vault or network, the narrowest. */
export function Subject({ subject }: Pick<Break, 'subject'>): Markup {
  const name = NARROWEST.find((one) => subject[one] !== null);
  const value = name === undefined ? null : subject[name];
  if (name === undefined || value === null) return <span class="muted">a body</span>;
  return (
    <span class="subject">
      <SubjectPart name={name} value={value} />
    </span>
  );
}
