import type { Markup } from '../parts/markup.ts';
import type { Section } from './site.ts';

function Keys({ keys, does }: { keys: readonly string[]; does: string }): Markup {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}

/** The keys of every page; `?` opens it. */
export function KeyboardHelp(help: { sections: readonly Section[] }): Markup {
  return (
    <dialog id="keyboard-help" aria-labelledby="keyboard-title">
      <h2 id="keyboard-title">Keys</h2>
      <dl>
        <Keys keys={['/']} does="search" />
        <Keys keys={['j', 'k']} does="next and previous row of a list" />
        <Keys keys={['Enter']} does="open the row" />
        <Keys keys={['x']} does="tick the row, where rows have boxes" />
        <Keys keys={['r']} does="the reason for the ticked rows" />
        <Keys keys={['f']} does="filter of the list" />
        <Keys keys={['Esc']} does="leave a field" />
        <Keys keys={['n', 'p']} does="next and previous page of a list" />
        <Keys keys={['?']} does="this list" />
        {help.sections.map(({ key, name }) => (
          <Keys keys={['g', key]} does={name} />
        ))}
      </dl>
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  );
}
