import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { matchedOperation } from '../../src/simulator/forge/simulated-forge.ts';

/** What a forge describes of one operation, cut to what gitfleet uses; `api/*.json` name their sources. */
interface Operation {
  readonly query?: Readonly<Record<string, object>>;
  readonly body?: object;
  readonly answers: Readonly<Record<string, object>>;
}

/** A request or an answer that is not as described. */
export class Mistake extends Error {}

/** The operations of a forge: throws where request or answer are not as it describes them. */
export function describedApi(name: 'github' | 'gitlab' | 'gitea' | 'forgejo') {
  const text = readFileSync(join(import.meta.dirname, `api/${name}.json`), 'utf8');
  const { operations } = JSON.parse(text) as { operations: Readonly<Record<string, Operation>> };
  const schemas = new Map<object, z.ZodType>();
  const check = (what: string, schema: object, value: unknown): void => {
    const known = schemas.get(schema) ?? z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    schemas.set(schema, known);
    const { error } = known.safeParse(value);
    if (error)
      throw new Mistake(`${name}: ${what} is not as described: ${z.prettifyError(error)}: ${JSON.stringify(value)}`);
  };
  return {
    knows: (method: string, path: string): boolean =>
      matchedOperation(Object.keys(operations), method, path) !== undefined,
    request(operation: string, query: URLSearchParams, body: unknown): void {
      const { query: parameters = {}, body: schema } = operations[operation]!;
      for (const [parameter, value] of query) {
        const known = parameters[parameter] as { readonly type?: string | readonly string[] } | undefined;
        if (known === undefined) throw new Mistake(`${name}: ${operation} has no parameter ${parameter}`);
        check(`parameter ${parameter} of ${operation}`, known, known.type?.includes('integer') ? Number(value) : value);
      }
      if (schema === undefined && body !== undefined) throw new Mistake(`${name}: ${operation} takes no body`);
      if (schema !== undefined) check(`the body of ${operation}`, schema, body);
    },
    answer(operation: string, status: number, body: unknown): void {
      const schema = operations[operation]!.answers[status];
      if (schema === undefined) throw new Mistake(`${name}: ${operation} does not answer ${status}`);
      check(`answer ${status} of ${operation}`, schema, body);
    },
  };
}
