import { amountFormatted, balanceChange, changeAccount, changeAddress } from './balance-change.ts';
import { isBalanceChange } from './balance-change-guard.ts';
import { isJsonObject, isText, type JsonObject } from './json-guard.ts';
import { notification } from './notification.ts';

type Path = readonly PropertyKey[];

/** What the schema says is wrong with a body, and where: `['balanceChanges', 7, 'amount']`. */
export interface Flaw {
  readonly path: Path;
  readonly message: string;
}

/** What is told of one body: examples are what its sender needs, and a body may hold 100,000. */
export const FLAWS_TOLD_MAX = 3;

/** A value cut down to what its first flaws are in. */
interface Abridged {
  readonly value: unknown;
  /** Where in the value itself something of the abridged one is. */
  readonly original: (path: Path) => Path;
}

type Abridge = (value: unknown) => Abridged;

const whole: Abridge = (value) => ({ value, original: (path) => path });

/** What any JSON object satisfies, however many members it has. */
const anyObject: Abridge = (value) => whole(isJsonObject(value) ? {} : value);

/** Only the members that a schema names; those that may be long are abridged themselves. */
function membersOf(names: Iterable<string>, long: Readonly<Record<string, Abridge>>): Abridge {
  return (value) => {
    if (!isJsonObject(value)) return whole(value);
    const kept: Record<string, Abridged> = {};
    for (const name of names) {
      if (Object.hasOwn(value, name)) kept[name] = (long[name] ?? whole)(value[name]);
    }
    return {
      value: Object.fromEntries(Object.entries(kept).map(([name, each]) => [name, each.value])),
      original: ([name, ...rest]) =>
        name === undefined ? [] : [name, ...(kept[String(name)]?.original(rest) ?? rest)],
    };
  };
}

function shapeOf(
  schema: { readonly shape: object },
  long: Readonly<Record<string, Abridge>> = {},
): Abridge {
  return membersOf(Object.keys(schema.shape), long);
}

/** The first items that are flawed; every one of them has a flaw to tell. */
function flawedOf(passes: (item: unknown) => boolean, item: Abridge = whole): Abridge {
  return (list) => {
    if (!Array.isArray(list)) return whole(list);
    const kept: (Abridged & { index: number })[] = [];
    for (let index = 0; index < list.length && kept.length < FLAWS_TOLD_MAX; index += 1) {
      const each: unknown = list[index];
      if (!passes(each)) kept.push({ ...item(each), index });
    }
    return {
      value: kept.map(({ value }) => value),
      original: ([at, ...rest]) => {
        const found = kept[Number(at)];
        return found === undefined ? [] : [found.index, ...found.original(rest)];
      },
    };
  };
}

const abridgedChange = shapeOf(balanceChange, {
  amountFormatted: shapeOf(amountFormatted, { asset: shapeOf(amountFormatted.shape.asset) }),
  tags: flawedOf(isText),
  address: shapeOf(changeAddress, { data: anyObject }),
  account: shapeOf(changeAccount, { data: anyObject }),
});

const NAMES = new Set(
  notification.options.flatMap((stream) =>
    stream.options.flatMap((type) => Object.keys(type.shape)),
  ),
);

const abridged = membersOf(NAMES, {
  metadata: anyObject,
  balanceChanges: flawedOf(isBalanceChange, abridgedChange),
});

/**
 * The first flaws of a body that is no notification, in the schema's order and at most
 * `FLAWS_TOLD_MAX`; none of one that is. The schema would look for all of them, and of a body that is
 * nothing but flaws take seconds or run out of stack: it is shown only what the first are in.
 */
export function flawsOf(body: JsonObject): Flaw[] {
  const { value, original } = abridged(body);
  const issues = notification.safeParse(value).error?.issues ?? [];
  return issues
    .slice(0, FLAWS_TOLD_MAX)
    .map(({ path, message }) => ({ path: original(path), message }));
}
