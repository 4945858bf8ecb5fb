import type { Markup } from '../markup.ts';

interface Option {
  readonly value: string;
  readonly label: string;
}

/**
 * A field of a filter. With `options` a person chooses one of them, or any. An option that is a
 * text is shown by its own words.
 */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly options?: readonly (string | Option)[];
  /** The first option, which leaves the field out; `any` by default. */
  readonly none?: string;
  /** Of the input: `date`, `search`; `text` by default. */
  readonly type?: 'text' | 'search' | 'date';
  readonly placeholder?: string;
}

function labelled(option: string | Option): Option {
  return typeof option === 'string'
    ? { value: option, label: option.replaceAll('_', ' ') }
    : option;
}

function Field({ field }: { field: FilterField }): Markup {
  const { name, label, value = '', options, none = 'any', type = 'text', placeholder } = field;
  return (
    <label class="field">
      <span>{label}</span>
      {options === undefined ? (
        <input name={name} type={type} value={value} placeholder={placeholder} autocomplete="off" />
      ) : (
        <select name={name}>
          <option value="">{none}</option>
          {options.map(labelled).map((one) => (
            <option value={one.value} selected={one.value === value}>
              {one.label}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}

/** A filter whose result is a link: a form that is sent with GET. */
export function FilterForm(filter: { action: string; fields: readonly FilterField[] }): Markup {
  const { action, fields } = filter;
  const isSet = fields.some(({ value = '' }) => value !== '');
  return (
    <form class="filter" method="get" action={action} data-filter="">
      {fields.map((field) => (
        <Field field={field} />
      ))}
      <button>Filter</button>
      {isSet && <a href={action}>Clear</a>}
    </form>
  );
}

/** `Filter: Memo 88, State held` */
function FilterSummary({ fields }: { fields: readonly FilterField[] }): Markup {
  const set = fields.flatMap(({ label, value, options = [] }) => {
    if (value === undefined) return [];
    const chosen = options.map(labelled).find((one) => one.value === value);
    return [`${label} ${chosen?.label ?? value}`];
  });
  return (
    <summary class="button">{set.length === 0 ? 'Filter' : `Filter: ${set.join(', ')}`}</summary>
  );
}

/** A filter that opens from a summary of what is set. `open`: from the start. */
export function FoldedFilter(filter: {
  action: string;
  fields: readonly FilterField[];
  open: boolean;
}): Markup {
  const { action, fields, open } = filter;
  return (
    <details class="filters" open={open}>
      <FilterSummary fields={fields} />
      <FilterForm action={action} fields={fields} />
    </details>
  );
}
