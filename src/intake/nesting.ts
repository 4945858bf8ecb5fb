/**
 * Deepest nesting that the store compares member by member. The service's bodies have five levels.
 */
const DEPTH_MAX = 64;

/** The member that differs between deliveries of one notification. */
const NOT_CONTENT = 'timestamp';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function opensMoreThan(most: number, text: string, bracket: '{' | '['): boolean {
  let count = 0;
  for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

/** The index of the quote that closes the string opened at `opening`. */
function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

/** Whether JSON text nests brackets deeper than `levels`. */
function nestsDeeperThan(levels: number, text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code === 0x5b || code === 0x7b) open += 1;
    else if (code === 0x5d || code === 0x7d) open -= 1;
    if (open > levels) return true;
  }
  return false;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels < 0) return true;
  return Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/**
 * Why a body cannot be compared member by member, or null. `text`: the text that `value` was parsed
 * from.
 */
export function nestingDefect(
  text: string,
  value: Readonly<Record<string, unknown>>,
): string | null {
  // Fast path of nearly every body: so few brackets cannot nest that deep.
  const most = DEPTH_MAX / 2;
  if (!opensMoreThan(most, text, '{') && !opensMoreThan(most, text, '[')) return null;
  // Scanning the text is much faster than walking its values, and ends here for nearly all other
  // bodies.
  if (!nestsDeeperThan(DEPTH_MAX + 1, text)) return null;
  const isDeeper = Object.keys(value).some(
    (name) => name !== NOT_CONTENT && isDeeperThan(DEPTH_MAX - 1, value[name]),
  );
  return isDeeper ? `body: nested deeper than ${DEPTH_MAX} levels` : null;
}
