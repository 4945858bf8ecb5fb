import { z } from 'zod';
import { CATEGORIES } from '../../domain/money/roll-forward.ts';
import { SUBTRACTED } from '../../report/asset-totals.ts';
import { statusText } from '../../report/critical-breaks.ts';
import { reportHashOf } from '../../store/close/close-day.ts';
import { jsonOf } from '../link/daemon-answer.ts';

/** One check of a downloaded report, with what was found. */
export interface Check {
  readonly name: 'hash' | 'figures' | 'signatures' | 'day before';
  readonly status: 'ok' | 'warning' | 'PROBLEM';
  readonly detail: string;
}

const units = z.string().regex(/^-?\d+$/);

const figures = z.object({
  vaultId: z.string(),
  asset: z.string(),
  opening: units,
  closing: units,
  ...(Object.fromEntries(CATEGORIES.map((name) => [name, units])) as Record<
    (typeof CATEGORIES)[number],
    typeof units
  >),
});

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** The members of a report that the checks read; the others pass unread. */
const schema = z.object({
  day: z.string(),
  status: z.string(),
  previous: z.object({ day: z.string(), reportHash: hash }).nullable(),
  totals: z.array(figures),
  openBreaks: z.array(z.object({ severity: z.string() })),
  reportHash: hash,
  signatures: z.array(
    z.object({
      role: z.enum(['preparer', 'reviewer']),
      person: z.string(),
      reportHash: z.string(),
      signedAt: z.string(),
    }),
  ),
});

/** A report as its JSON was downloaded. */
export interface DownloadedReport extends z.infer<typeof schema> {
  /** The SHA-256 of the text before `reportHash` and `signatures`, byte by byte. */
  readonly foundHash: string;
}

/** `reportHash` and `signatures`, which end the file. Within a text, a quote would be escaped. */
const END = /,"reportHash":"[^"]*","signatures":\[.*\]\}\s*$/s;

/** Reads a downloaded JSON report; undefined for any other text. */
export function downloadedReport(text: string): DownloadedReport | undefined {
  const read = schema.safeParse(jsonOf(text));
  const end = END.exec(text);
  // Without this end, other spaces were written into it, and no byte can be compared.
  if (!read.success || end === null) return undefined;
  return { ...read.data, foundHash: reportHashOf(`${text.slice(0, end.index)}}`) };
}

/** `2025-11-20, balanced with open differences, 1 critical break at the cut-off` */
export function headOf(report: DownloadedReport): string {
  return `${report.day}, ${statusText(report)}`;
}

function checkOf(name: Check['name'], problems: readonly string[], ok: string): Check {
  return problems.length === 0
    ? { name, status: 'ok', detail: ok }
    : { name, status: 'PROBLEM', detail: problems.join('; ') };
}

function hashCheck({ foundHash, reportHash }: DownloadedReport): Check {
  const problem = `the text was changed: its SHA-256 is ${foundHash}, and reportHash says ${reportHash}`;
  return checkOf(
    'hash',
    foundHash === reportHash ? [] : [problem],
    `the SHA-256 of the text is ${reportHash}`,
  );
}

function figuresCheck({ totals }: DownloadedReport): Check {
  const problems = totals.flatMap((total) => {
    const rolled = CATEGORIES.reduce((sum, name) => {
      const amount = BigInt(total[name]);
      return SUBTRACTED.has(name) ? sum - amount : sum + amount;
    }, BigInt(total.opening));
    return rolled === BigInt(total.closing)
      ? []
      : [`${total.vaultId} ${total.asset} rolls forward to ${rolled}, not to ${total.closing}`];
  });
  const count = totals.length === 1 ? '1 total rolls' : `${totals.length} totals roll`;
  return checkOf('figures', problems, `${count} forward from the opening to the closing`);
}

const DONE = { preparer: 'prepared', reviewer: 'reviewed' } as const;

function signaturesCheck({ signatures, reportHash }: DownloadedReport): Check {
  const [preparer, reviewer] = (['preparer', 'reviewer'] as const).map((role) =>
    signatures.find((one) => one.role === role),
  );
  const problems = signatures
    .filter((one) => one.reportHash !== reportHash)
    .map(({ person }) => `${person} signed another report, ${reportHash} is not its hash`);
  if (preparer === undefined) problems.push('nobody has prepared it');
  if (reviewer === undefined) problems.push('nobody has reviewed it');
  if (preparer !== undefined && preparer.person === reviewer?.person) {
    problems.push(`${preparer.person} prepared and reviewed it`);
  }
  const signed = signatures.map(
    ({ role, person, signedAt }) => `${DONE[role]} by ${person}, ${signedAt}`,
  );
  return checkOf('signatures', problems, signed.join('; '));
}

function dayBeforeCheck(
  { previous, totals }: DownloadedReport,
  others: readonly DownloadedReport[],
): Check {
  const name = 'day before';
  if (previous === null) return { name, status: 'ok', detail: 'this is the first closed day' };
  const { day, reportHash } = previous;
  const before = others.find((one) => one.day === day);
  if (before === undefined) {
    const detail = `${day} is not among the files; its reportHash must be ${reportHash}`;
    return { name, status: 'warning', detail };
  }
  const closings = new Map(before.totals.map((one) => [`${one.vaultId} ${one.asset}`, one]));
  const problems = totals.flatMap(({ vaultId, asset, opening }) => {
    const closing = closings.get(`${vaultId} ${asset}`)?.closing ?? '0';
    return opening === closing
      ? []
      : [`${vaultId} ${asset} opens with ${opening}, and ${day} closed with ${closing}`];
  });
  if (before.foundHash !== reportHash) {
    problems.unshift(`${day} is another report here: its reportHash must be ${reportHash}`);
  }
  return checkOf(name, problems, `${day} has the hash that this report names`);
}

/** What the file alone shows, and what the files of other days show about it. */
export function checksOf(
  report: DownloadedReport,
  others: readonly DownloadedReport[],
): readonly Check[] {
  return [
    hashCheck(report),
    figuresCheck(report),
    signaturesCheck(report),
    dayBeforeCheck(report, others),
  ];
}
