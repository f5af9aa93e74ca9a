import { type Fields, fieldOf, itemOf, type Schema } from '../schema/schema.ts';
import { type Message, messageOf } from './protobuf-messages.ts';

/** First bytes of every body of this media type. */
const magic = [0x6b, 0x38, 0x73, 0x00];

/** A part of a body that is not known here: a kind or a field that `kubectl create` has no reason to send. */
export class UnknownProtobuf extends Error {}

/**
 * A body of type application/vnd.kubernetes.protobuf as the JSON it stands for. Throws UnknownProtobuf for what the tables
 * of messages do not name, RangeError for a body that ends too soon.
 */
export function fromProtobuf(body: Uint8Array, schema: Schema): Fields {
  if (!magic.every((byte, index) => body[index] === byte)) throw new UnknownProtobuf('it does not begin with k8s\\0');
  let raw = new Uint8Array();
  let type: Fields = {};
  for (const { number, value } of entriesOf(body.subarray(magic.length))) {
    if (number === 1 && value instanceof Uint8Array) type = typeOf(value);
    if (number === 2 && value instanceof Uint8Array) raw = new Uint8Array(value);
  }
  const kind = `${String(type['apiVersion'])} ${String(type['kind'])}`;
  const message = messageOf(kind);
  if (!message) throw new UnknownProtobuf(kind);
  return { ...type, ...read(raw, message, schema, kind) };
}

function typeOf(bytes: Uint8Array): Fields {
  const out: Fields = {};
  for (const { number, value } of entriesOf(bytes)) {
    if (value instanceof Uint8Array) out[number === 1 ? 'apiVersion' : 'kind'] = textOf(value);
  }
  return out;
}

function read(bytes: Uint8Array, message: Message, schema: Schema, path: string): Fields {
  const out: Fields = {};
  for (const { number, value } of entriesOf(bytes)) {
    const field = message.fields.get(number);
    if (!field) throw new UnknownProtobuf(`field ${number} of ${path}`);
    // New objects have none: the server writes it.
    if (field.name === 'status') continue;
    const below = message.nested[field.name];
    if (field.inline && below) {
      Object.assign(out, read(value as Uint8Array, below, schema, path));
      continue;
    }
    const shape = fieldOf(schema, field.name);
    if (!shape) throw new UnknownProtobuf(`${field.name} of ${path}`);
    const here = `${path}.${field.name}`;
    if (shape.type === 'list') {
      const item = decoded(value, itemOf(shape), below, here);
      out[field.name] = [...((out[field.name] as unknown[] | undefined) ?? []), item];
    } else if (shape.type === 'map') {
      const [key, item] = pairOf(value, itemOf(shape), here);
      out[field.name] = { ...(out[field.name] as Fields | undefined), [key]: item };
    } else {
      const found = decoded(value, shape, below, here);
      const isZero = found === '' || found === 0 || found === false || found === null;
      // Go writes zeros of plain fields; only where a pointer could be nil does a zero say something.
      if (!isZero || (field.pointer && found !== null)) out[field.name] = found;
    }
  }
  return out;
}

function pairOf(value: bigint | Uint8Array, item: Schema, path: string): [string, unknown] {
  let key = '';
  let found: unknown = '';
  for (const entry of entriesOf(value as Uint8Array)) {
    if (entry.number === 1) key = textOf(entry.value as Uint8Array);
    else found = decoded(entry.value, item, undefined, path);
  }
  return [key, found];
}

function decoded(value: bigint | Uint8Array, shape: Schema, below: Message | undefined, path: string): unknown {
  if (typeof value === 'bigint') return shape.type === 'boolean' ? value !== 0n : Number(BigInt.asIntN(64, value));
  if (shape.format === 'byte') return Buffer.from(value).toString('base64');
  if (shape.format === 'date-time') return timeOf(value);
  if (shape.type === 'string') return textOf(value);
  if (shape.type === 'quantity')
    return textOf((entriesOf(value)[0]?.value as Uint8Array | undefined) ?? new Uint8Array());
  if (shape.type === 'intOrString') return eitherOf(value);
  if (!below) throw new UnknownProtobuf(path);
  return read(value, below, shape, path);
}

/** A Time of no fields is Go's zero time: null in JSON. */
function timeOf(bytes: Uint8Array): string | null {
  const seconds = entriesOf(bytes).find(({ number }) => number === 1)?.value;
  return typeof seconds === 'bigint' && seconds > 0n ? new Date(Number(seconds) * 1000).toISOString() : null;
}

/** An IntOrString: 0 for the number, 1 for the text; both are always sent. */
function eitherOf(bytes: Uint8Array): string | number {
  const parts = new Map(entriesOf(bytes).map(({ number, value }) => [number, value]));
  const text = parts.get(3);
  if (parts.get(1) === 1n && text instanceof Uint8Array) return textOf(text);
  const number = parts.get(2);
  return typeof number === 'bigint' ? Number(BigInt.asIntN(64, number)) : 0;
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

interface Entry {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** The wire format: numbers and byte strings are all that Kubernetes uses of it, but fixed widths are skipped soundly. */
function entriesOf(bytes: Uint8Array): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('the body ends within a number');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, type] = [tag >> 3, tag & 7];
    if (type === 0) entries.push({ number, value: varint() });
    else {
      const length = type === 2 ? Number(varint()) : type === 1 ? 8 : 4;
      if (at + length > bytes.length) throw new RangeError('the body ends within a field');
      entries.push({ number, value: bytes.subarray(at, at + length) });
      at += length;
    }
  }
  return entries;
}
