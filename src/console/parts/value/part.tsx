import { Fact } from '../../../pages/parts/fact.tsx';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';

/** An identifier that something may lack. `whole`: all of it, broken over lines. */
export function Part({ value, whole = false }: { value: string | null; whole?: boolean }): Markup {
  if (value === null) return <span class="muted">none</span>;
  return <Identifier value={value} whole={whole} />;
}

/** Such an identifier in a list of facts. */
export function PartFact({ name, value }: { name: string; value: string | null }): Markup {
  return (
    <Fact name={name}>
      <Part value={value} whole />
    </Fact>
  );
}
