import type { Child } from 'hono/jsx';
import type { DailyReport, ReportTotal } from '../../domain/close/report.ts';
import { MOVES, ROLL_FORWARD, type Figure } from '../../report/asset-totals.ts';
import { insteadOf, missingChainViews } from '../../report/missing-witness.ts';
import { waterfall } from '../../report/page/waterfall.ts';
import { vaultNameOf } from '../../report/vault-name.ts';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { hasLongAmount, LineFigure } from '../../pages/parts/value/amount.tsx';
import { decimalText } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { balancesAtCutOff } from '../parts/book-links.ts';
import { dayMovementsLink } from './day-movements.tsx';
import type { DayAsset, DayReport } from './day-report.ts';

/** A page shows no more vaults of an asset; the documents have all. */
const VAULTS_MAX = 50;

type AmountText = string | null | undefined;

type Line = (typeof ROLL_FORWARD)[number];

/**
 * A figure of a report in the asset's own unit, unrounded, with its smallest units in the title; `not
 * compared` where the report has none.
 */
export function ReportAmount(shown: {
  amount: AmountText;
  asset: string;
  decimals: ReadonlyMap<string, number>;
  signed?: boolean;
}): Markup {
  const { amount, asset, decimals, signed = false } = shown;
  if (amount === null || amount === undefined) return <span class="muted">not compared</span>;
  if (amount === '0') return <span class="muted">0</span>;
  const sign = signed && !amount.startsWith('-') ? '+' : '';
  const digits = decimals.get(asset);
  const text = decimalText(BigInt(amount), digits ?? 0);
  return (
    <LineFigure exact={amount} text={text}>
      {sign}
      {text}
      {digits === undefined && <span class="units">smallest units</span>}
    </LineFigure>
  );
}

/** What a figure is made of: balances for its ends, else the day's movements. */
function figureLink(report: DailyReport, asset: string, figure: Figure): string | undefined {
  const { day, from, cutOffAt } = report;
  if (figure === 'closing') return balancesAtCutOff({ asset }, Date.parse(cutOffAt));
  if (figure === 'opening')
    return from === null ? undefined : balancesAtCutOff({ asset }, Date.parse(from));
  return dayMovementsLink(day, { asset, figure });
}

/** A figure that leads to what it is made of; zero is made of nothing. */
function LinkedFigure(shown: {
  report: DailyReport;
  asset: string;
  figure: Figure;
  amount: AmountText;
  decimals: ReadonlyMap<string, number>;
}): Markup {
  const { report, figure, ...amount } = shown;
  const href = figureLink(report, amount.asset, figure);
  const text = <ReportAmount {...amount} />;
  if (href === undefined || amount.amount === '0') return text;
  return <a href={href}>{text}</a>;
}

/** Whether an amount of the roll-forward is too long for a table on a tablet. */
function isLong({ asset, sum, before }: DayAsset, { decimals }: DayReport): boolean {
  const amounts = [sum, before].flatMap((shown) =>
    shown === undefined ? [] : MOVES.map((figure) => ({ asset, amount: BigInt(shown[figure]) })),
  );
  return hasLongAmount(amounts, decimals, 'third');
}

/** The roll-forward, beside that of the day before. */
function RollForward({ one, day }: { one: DayAsset; day: DayReport }): Markup {
  const { asset, sum, before } = one;
  const { decimals, report } = day;
  const linked = (of: DailyReport, figure: Figure, text: AmountText): Child => (
    <LinkedFigure report={of} asset={asset} figure={figure} amount={text} decimals={decimals} />
  );
  const columns: Column<Line>[] = [
    {
      title: 'Figure',
      cell: ([figure, title]) =>
        figure === 'opening' || figure === 'closing' ? <b>{title}</b> : title,
    },
    {
      title: report.day,
      cell: ([figure]) => linked(report, figure, sum[figure]),
      is: 'number',
    },
  ];
  const earlier = day.before;
  if (before !== undefined && earlier !== null) {
    columns.push(
      {
        title: earlier.day,
        cell: ([figure]) => linked(earlier, figure, before[figure]),
        is: 'number',
      },
      {
        title: 'Change',
        cell: ([figure]) => {
          const change = BigInt(sum[figure]) - BigInt(before[figure]);
          return <ReportAmount amount={`${change}`} {...{ asset, decimals }} signed />;
        },
        is: 'number',
      },
    );
  }
  return (
    <DataTable
      caption={`Roll-forward of ${asset}`}
      items={ROLL_FORWARD}
      columns={columns}
      rowKey={([figure]) => `${asset}-${figure}`}
      folds={columns.length > 2 && isLong(one, day)}
    />
  );
}

/** Figures of books, chain view and custody for one asset. */
interface WitnessFigures {
  readonly asset: string;
  readonly figures: Readonly<Partial<Record<Figure, string | null>>>;
  /** The vaults that the figures sum up. */
  readonly vaults: readonly ReportTotal[];
}

/** Columns of the three witnesses and their differences. A figure without a meaning says why. */
export function witnessColumns<Row>(
  { decimals, report: { custody } }: Pick<DayReport, 'decimals' | 'report'>,
  figuresOf: (row: Row) => WitnessFigures,
): Column<Row>[] {
  const column = (title: string, figure: Figure): Column<Row> => ({
    title,
    cell: (row) => {
      const { asset, figures, vaults } = figuresOf(row);
      const instead = insteadOf(figure, { missing: missingChainViews(vaults), custody });
      if (instead !== null) return <span class="muted">{instead}</span>;
      const signed = figure.endsWith('Difference');
      return <ReportAmount amount={figures[figure]} {...{ asset, decimals, signed }} />;
    },
    is: 'number',
  });
  return [
    column('Books', 'closing'),
    column('Chain', 'chainClosing'),
    column('Books − chain', 'chainDifference'),
    column('Custody', 'custodyClosing'),
    column('Books − custody', 'custodyDifference'),
  ];
}

interface WitnessRow extends WitnessFigures {
  readonly key: string;
  readonly name: Child;
}

/** A vault's name, its positions at the cut-off, and its movements of the day. */
function vaultTitle(day: DayReport, { vaultId, asset }: DayAsset['vaults'][number]): Markup {
  const { report, close } = day;
  const name = vaultNameOf(report, vaultId);
  return (
    <>
      {name !== null && <b>{name} </b>}
      <Identifier
        value={vaultId}
        href={balancesAtCutOff({ vaultId, asset }, close.cutOffAt)}
      />{' '}
      <a href={dayMovementsLink(close.day, { asset, vaultId })}>movements</a>
    </>
  );
}

/** Books, chain view and custody of an asset side by side: over all vaults, then by vault. */
function Witnesses({ one, day }: { one: DayAsset; day: DayReport }): Markup {
  const { asset, vaults, sum } = one;
  const rows: WitnessRow[] = [
    { key: 'all', name: <b>All vaults</b>, asset, figures: sum, vaults },
    ...vaults.slice(0, VAULTS_MAX).map((total) => ({
      key: total.vaultId,
      name: vaultTitle(day, total),
      asset,
      figures: total,
      vaults: [total],
    })),
  ];
  return (
    <>
      <h3>Three witnesses at the cut-off</h3>
      <DataTable
        caption={`Books, chain and custody of ${asset}`}
        items={rows}
        columns={[
          { title: 'Vault', cell: ({ name }) => name },
          ...witnessColumns(day, (row: WitnessRow) => row),
        ]}
        rowKey={({ key }) => `${asset}-vault-${key}`}
        folds
      />
      {vaults.length > VAULTS_MAX && (
        <p class="foot">
          {`The first ${VAULTS_MAX} of ${vaults.length} vaults; the downloads have all.`}
        </p>
      )}
    </>
  );
}

/** One asset of a closed day: waterfall, roll-forward and the three witnesses. */
export function AssetCard({ one, day }: { one: DayAsset; day: DayReport }): Markup {
  const { asset, vaults, sum } = one;
  return (
    <Card id={`asset-${asset}`} title={asset}>
      <div class="scroll" tabindex={0} role="region" aria-label={`Waterfall of ${asset}`}>
        {waterfall(vaults, sum.decimals)}
      </div>
      <RollForward one={one} day={day} />
      <Witnesses one={one} day={day} />
    </Card>
  );
}
