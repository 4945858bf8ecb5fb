import type { ReportStatus } from '../../../domain/close/report.ts';
import { Badge, type Tone } from '../../../pages/parts/badge.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';

/** Colours of a closed day's status. */
export const STATUS_TONES: Record<ReportStatus, Tone> = {
  balanced: 'good',
  'balanced with open differences': 'warn',
  exceptions: 'alarm',
};

/** A closed day's status in the words of its report. */
export function StatusBadge({ status }: { status: ReportStatus }): Markup {
  return <Badge tone={STATUS_TONES[status]} text={status} />;
}
