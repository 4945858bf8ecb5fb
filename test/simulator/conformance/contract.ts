import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';

/** One finished call as it was sent. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly requestBody: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly responseBody: string;
}

const content = z.record(z.string(), z.looseObject({ schema: z.unknown() }));
const operationSchema = z.looseObject({
  operationId: z.string(),
  requestBody: z.looseObject({ content }).optional(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).optional(),
  responses: z.record(z.string(), z.looseObject({ content: content.optional() })),
});
type Operation = z.infer<typeof operationSchema>;

const documentSchema = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});

interface Route {
  readonly template: string;
  readonly pattern: RegExp;
  readonly operations: Readonly<Record<string, Operation>>;
}

const JSON_TYPE = 'application/json';
const DOCUMENT_ID = 'openapi';
/** Paths of the core that are not part of the document. */
const UNDOCUMENTED = /^\/(?:openapi\.json|docs(?:\/.*)?|)$/;

function routeOf(template: string, operations: Readonly<Record<string, Operation>>): Route {
  const pattern = template
    .split(/\{[^}]+\}/)
    .map((text) => text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`))
    .join('[^/]+');
  return { template, pattern: new RegExp(`^${pattern}$`), operations };
}

/** Checks calls against an OpenAPI 3.1 document. */
export class Contract {
  readonly #ajv: Ajv2020;
  readonly #routes: readonly Route[];
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: unknown) {
    const { paths } = documentSchema.parse(document);
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(z.record(z.string(), z.unknown()).parse(document), DOCUMENT_ID);
    // A literal segment comes before a parameter at the same level.
    this.#routes = Object.entries(paths)
      .map(([template, operations]) => routeOf(template, operations))
      .toSorted(
        (left, right) => left.template.split('{').length - right.template.split('{').length,
      );
  }

  /** `METHOD /path` of every documented operation. */
  operations(): string[] {
    return this.#routes.flatMap(({ template, operations }) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${template}`),
    );
  }

  /** Names of the query parameters of `METHOD /path`. */
  queryParametersOf(operation: string): string[] {
    const [method = '', template = ''] = operation.split(' ');
    const route = this.#routes.find((each) => each.template === template);
    const parameters = route?.operations[method.toLowerCase()]?.parameters ?? [];
    return parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  }

  /** `METHOD /path` of the operation that was called; undefined when there is none. */
  operationOf({ method, target }: Exchange): string | undefined {
    const route = this.#routeOf(target);
    const known = route?.operations[method.toLowerCase()];
    return known === undefined ? undefined : `${method} ${route?.template}`;
  }

  /** The violations of the exchange; normally none. */
  violationsOf(exchange: Exchange): string[] {
    const { method, target, status } = exchange;
    const [path = '', query = ''] = target.split('?');
    if (UNDOCUMENTED.test(path)) return [];
    const route = this.#routeOf(target);
    const operation = route?.operations[method.toLowerCase()];
    const said = `${method} ${target} ${status}`;
    if (route === undefined || operation === undefined) {
      const reference = '#/components/schemas/Error';
      return status === 404
        ? this.#mismatches(reference, exchange.responseBody).map((text) => `${said}: ${text}`)
        : [`${said}: the document has no such operation`];
    }
    const pathInDocument = ['paths', route.template, method.toLowerCase()];
    const violations = this.#responseViolations(operation, exchange, pathInDocument);
    if (status < 300)
      violations.push(...this.#requestViolations(operation, exchange, pathInDocument, query));
    return violations.map((text) => `${said}: ${text}`);
  }

  #routeOf(target: string): Route | undefined {
    const [path = ''] = target.split('?');
    return this.#routes.find(({ pattern }) => pattern.test(path));
  }

  #responseViolations(
    operation: Operation,
    exchange: Exchange,
    pathInDocument: string[],
  ): string[] {
    const { status, contentType, responseBody } = exchange;
    const key = [String(status), `${String(status)[0]}XX`, 'default'].find(
      (candidate) => operation.responses[candidate] !== undefined,
    );
    if (key === undefined) return [`status ${status} is not documented`];
    if (operation.responses[key]?.content?.[JSON_TYPE] === undefined) {
      return contentType?.startsWith(JSON_TYPE) === true ? ['an undocumented JSON body'] : [];
    }
    const mistyped =
      contentType?.startsWith(JSON_TYPE) === true ? [] : [`content type ${contentType}`];
    const reference = pointer([
      ...pathInDocument,
      'responses',
      key,
      'content',
      JSON_TYPE,
      'schema',
    ]);
    return [...mistyped, ...this.#mismatches(reference, responseBody)];
  }

  /** A request that the core accepted must match the document. */
  #requestViolations(
    operation: Operation,
    exchange: Exchange,
    pathInDocument: string[],
    query: string,
  ): string[] {
    const known = new Set(
      (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name),
    );
    const violations = [...new URLSearchParams(query).keys()]
      .filter((name) => !known.has(name))
      .map((name) => `query parameter ${name} is not documented`);
    if (operation.requestBody === undefined) return violations;
    const reference = pointer([...pathInDocument, 'requestBody', 'content', JSON_TYPE, 'schema']);
    const mismatches = this.#mismatches(reference, exchange.requestBody);
    return [...violations, ...mismatches.map((text) => `accepted request ${text}`)];
  }

  #mismatches(reference: string, text: string): string[] {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return [`body is not JSON: ${text.slice(0, 200)}`];
    }
    let validate = this.#validators.get(reference);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `${DOCUMENT_ID}${reference}` });
      this.#validators.set(reference, validate);
    }
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `body${instancePath} ${message ?? ''}`,
    );
  }
}

/** A JSON pointer as a URI fragment. */
function pointer(segments: readonly string[]): string {
  const escaped = segments.map((segment) =>
    encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  return `#/${escaped.join('/')}`;
}
