/** Schema of a value in the simulated API servers: enough for validation, defaults, pruning, field ownership and OpenAPI. */
export interface Schema {
  readonly type:
    | 'object'
    | 'map'
    | 'list'
    | 'string'
    | 'integer'
    | 'number'
    | 'boolean'
    | 'quantity'
    | 'intOrString'
    /** Anything; its maps are owned key by key, its lists as a whole. */
    | 'any';
  /** Name of the OpenAPI component; schemas without a name are written inline. */
  readonly name?: string;
  readonly description?: string;
  readonly fields?: Readonly<Record<string, Schema>>;
  /** Of a list or a map. */
  readonly items?: Schema;
  readonly listType?: 'atomic' | 'set' | 'map';
  /** Key fields of a list of type `map`. */
  readonly keys?: readonly string[];
  /** Key of strategic merge patches, if it is not the only list key; absent on lists that such patches replace. */
  readonly mergeKey?: string;
  /** Strategic merge patches may contain `$retainKeys`. */
  readonly retainKeys?: boolean;
  /** Owned and replaced as a whole although it is a map or an object. */
  readonly atomic?: boolean;
  /** Unknown fields are kept. */
  readonly open?: boolean;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export const str: Schema = { type: 'string' };
export const int: Schema = { type: 'integer' };
export const bool: Schema = { type: 'boolean' };
export const quantity: Schema = { type: 'quantity' };
export const intOrString: Schema = { type: 'intOrString' };
export const time: Schema = { type: 'string', format: 'date-time' };
/** With six digits of the second (metav1.MicroTime). */
export const microTime: Schema = { type: 'string', format: 'micro-time' };
export const bytes: Schema = { type: 'string', format: 'byte' };
export const any: Schema = { type: 'any' };

/** Several fields with one schema, their names in one string. */
export const all = (schema: Schema, names: string): Readonly<Record<string, Schema>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, schema]));

type More = Omit<Schema, 'type' | 'fields' | 'items'>;

export const obj = (fields: Readonly<Record<string, Schema>>, more: More = {}): Schema => ({
  type: 'object',
  fields,
  ...more,
});
/** A map whose keys are owned one by one. */
export const map = (items: Schema, more: More = {}): Schema => ({ type: 'map', items, ...more });
/** A list that is replaced as a whole. */
export const list = (items: Schema, more: More = {}): Schema => ({ type: 'list', items, listType: 'atomic', ...more });
export const setOf = (items: Schema, more: More = {}): Schema => ({ type: 'list', items, listType: 'set', ...more });
/** A list with key fields `keys`; strategic merge patches use the first one by default. */
export const listBy = (keys: readonly string[], items: Schema, more: More = {}): Schema => ({
  type: 'list',
  items,
  listType: 'map',
  keys,
  mergeKey: keys[0]!,
  ...more,
});
export const def = (schema: Schema, value: unknown): Schema => ({ ...schema, default: value });
export const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });

export type Fields = Record<string, unknown>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The shape of one field; undefined when the schema does not know it. */
export function fieldOf(schema: Schema, key: string): Schema | undefined {
  if (schema.type === 'any') return any;
  if (schema.type === 'map') return schema.items;
  if (schema.fields !== undefined && Object.hasOwn(schema.fields, key)) return schema.fields[key];
  return schema.open ? any : undefined;
}

/** The schema of the items of a list; lists inside unknown values have none. */
export const itemOf = (schema: Schema): Schema => schema.items ?? any;
