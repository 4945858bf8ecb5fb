/** Compares the output that a page shows with what the command printed. */

type Shape = string | readonly Shape[] | { readonly [key: string]: Shape };

function shapeOf(value: unknown): Shape {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

/** Keys whose members have names of data: causes, rules, states. */
const OPEN_KEYS = new Set(['skipped', 'exempt', 'deposits']);

function differences(shown: Shape, printed: Shape, at: string): string[] {
  if (typeof shown === 'string' || typeof printed === 'string') {
    const isEither = shown === 'null' || printed === 'null';
    return shown === printed || isEither
      ? []
      : [`${at}: shown ${show(shown)}, is ${show(printed)}`];
  }
  if (Array.isArray(shown) && Array.isArray(printed)) {
    const [one, other] = [shown[0] as Shape | undefined, printed[0] as Shape | undefined];
    return one === undefined || other === undefined ? [] : differences(one, other, `${at}[]`);
  }
  const [left, right] = [shown as Record<string, Shape>, printed as Record<string, Shape>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) => {
    const [one, other] = [left[key], right[key]];
    if (one === undefined) return [`${at}.${key}: not shown`];
    if (other === undefined) return [`${at}.${key}: is not printed`];
    return OPEN_KEYS.has(key) ? [] : differences(one, other, `${at}.${key}`);
  });
}

function show(shape: Shape): string {
  return typeof shape === 'string' ? shape : JSON.stringify(shape);
}

/** The first JSON value of a text that may hold several, one below the other. */
function firstJson(text: string): unknown {
  const whole = text.trim();
  try {
    return JSON.parse(whole);
  } catch {
    return JSON.parse(`${whole.split('\n}\n')[0]}\n}`);
  }
}

/** Members that are only shown, only printed, or printed with another type. */
export function jsonDifferences(shown: string, printed: string): string[] {
  return differences(shapeOf(firstJson(shown)), shapeOf(firstJson(printed)), '');
}

/** A line without ids, figures and widths, which differ from run to run. */
function normal(line: string): string {
  return line
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\b(?:dep|crd|brk|rec)_\w+/g, 'ID')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replaceAll(/\d+(?:[.,]\d+)*/g, 'N')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Shown lines that were not printed; `…` in a line stands for any text. */
export function missingLines(shown: string, printed: string): string[] {
  const lines = printed.split('\n').map(normal);
  return shown
    .trimEnd()
    .split('\n')
    .filter((line) => {
      const parts = normal(line).split('…');
      const pattern = parts
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*');
      return !lines.some((one) => new RegExp(`^${pattern}$`).test(one));
    });
}
