interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

/** The parts of an OpenAPI document that say what answers hold. */
export interface DescribedApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<string, { readonly responses: Readonly<Record<string, { content?: Content }>> }>
      >
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The schema and all that it refers to or is composed of: a member may stand in any of them. */
function partsOf(schema: Schema, { components }: DescribedApi): readonly Schema[] {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  const named = name === undefined ? undefined : components.schemas[name];
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const inner = [...(named === undefined ? [] : [named]), ...allOf, ...anyOf, ...oneOf];
  return [schema, ...inner.flatMap((part) => partsOf(part, { paths: {}, components }))];
}

function membersWithout(
  value: unknown,
  schemas: readonly Schema[],
  at: { readonly path: string; readonly api: DescribedApi },
): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { path, api } = at;
  const parts = schemas.flatMap((schema) => partsOf(schema, api));
  if (Array.isArray(value)) {
    const items = parts.flatMap((part) => part.items ?? []);
    return value.flatMap((one) => membersWithout(one, items, { path: `${path}[]`, api }));
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const described = parts.flatMap((part) => part.properties?.[name] ?? []);
    const others = parts
      .map((part) => part.additionalProperties)
      .filter((one): one is Schema => typeof one === 'object' && Object.keys(one).length > 0);
    const fitting = described.length > 0 ? described : others;
    const inner = { path: `${path}.${name}`, api };
    return fitting.length === 0 ? [inner.path] : membersWithout(member, fitting, inner);
  });
}

/** The members of an answer that the document does not describe, such as `body.custody.requests`. */
export function undescribedMembers(
  api: DescribedApi,
  operation: string,
  answer: { readonly status: number; readonly contentType: string; readonly body: unknown },
): string[] {
  const [method = '', path = ''] = operation.split(' ');
  const responses = api.paths[path]?.[method.toLowerCase()]?.responses;
  const schema = responses?.[answer.status]?.content?.[answer.contentType]?.schema;
  if (schema === undefined) return [];
  return [...new Set(membersWithout(answer.body, [schema], { path: 'body', api }))];
}
