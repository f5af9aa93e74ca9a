import { at, fieldsAt, textAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, invalidField, requiredField, tooLong } from './cause.ts';

const configKey = /^[-._a-zA-Z0-9]{1,253}$/;
const configKeyRule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";

/** Bytes of the values of a ConfigMap or Secret (core MaxSecretSize). */
const mostBytes = 1024 * 1024;

/** Keys and size of a ConfigMap (core validation, ValidateConfigMap). */
export const configMapCauses = (object: Fields): Cause[] => [
  ...keyCauses(object),
  ...sizeCauses([textValues(object['data']), encodedValues(object['binaryData'])]),
];

const keyCauses = (object: Fields): Cause[] =>
  ['data', 'binaryData', 'stringData'].flatMap((field) =>
    Object.keys(fieldsAt(object, field)).flatMap((key) => [
      ...keyRule(key).map((why) =>
        invalidField(`${field}[${key}]`, key, why, 'use only letters, digits, -, _ and . in the key'),
      ),
      ...(field === 'data' && at(object, 'binaryData', key) !== undefined
        ? [invalidField(`data[${key}]`, key, 'duplicate of key present in binaryData', 'keep one of them')]
        : []),
    ]),
  );

function keyRule(key: string): string[] {
  if (!configKey.test(key) || key === '.') return [configKeyRule];
  return key.startsWith('..') ? ["must not start with '..'"] : [];
}

/** A part of the values of an object: its texts, and bytes in UTF-8 or base64. */
interface Values {
  readonly texts: readonly string[];
  readonly bytesOf: (text: string) => number;
}

const textsIn = (values: unknown): string[] =>
  Object.values(isFields(values) ? values : {}).filter((value) => typeof value === 'string');

const textValues = (values: unknown): Values => ({
  texts: textsIn(values),
  bytesOf: (text) => new TextEncoder().encode(text).length,
});
const encodedValues = (values: unknown): Values => ({
  texts: textsIn(values),
  bytesOf: (text) => Math.floor((text.replace(/[\s=]/g, '').length * 3) / 4),
});

/** Most are far smaller, and a character has three bytes at most. */
function sizeCauses(parts: readonly Values[]): Cause[] {
  const length = parts.reduce((sum, { texts }) => texts.reduce((all, text) => all + text.length, sum), 0);
  if (length * 3 <= mostBytes) return [];
  const bytes = parts.reduce((sum, { texts, bytesOf }) => texts.reduce((all, text) => all + bytesOf(text), sum), 0);
  return bytes > mostBytes ? [tooLong('data', mostBytes, 'split it into several objects')] : [];
}

/** Required keys of a Secret by its type (core validation, ValidateSecret). */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

/** Logins for registries are a JSON object. */
function loginsCauses(secret: Fields, key: string): Cause[] {
  if (!key.startsWith('.docker')) return [];
  const [plain, encoded] = [at(secret, 'stringData', key), at(secret, 'data', key)];
  const text = typeof plain === 'string' ? plain : typeof encoded === 'string' ? decoded(encoded) : undefined;
  if (text === undefined || isJsonObject(text)) return [];
  return [
    invalidField(
      `data[${key}]`,
      '<secret contents redacted>',
      'it is not a JSON object',
      'write what docker login writes',
    ),
  ];
}

/** Undefined where it is not base64, which is refused by itself. */
function decoded(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return value === null || isFields(value);
  } catch {
    return false;
  }
}

/** Keys, contents and size of a Secret (core validation, ValidateSecret). */
export const secretCauses = (secret: Fields): Cause[] => {
  const type = textAt(secret, 'type');
  const data = { ...fieldsAt(secret, 'data'), ...fieldsAt(secret, 'stringData') };
  const missing = (...keys: readonly string[]) =>
    keys.filter((key) => data[key] === undefined).map((key) => requiredField(`data[${key}]`));
  const login = missing('username', 'password');
  const account = 'kubernetes.io/service-account.name';
  return [
    ...keyCauses(secret),
    ...sizeCauses([textValues(secret['stringData']), encodedValues(secret['data'])]),
    ...missing(...(secretKeys[type] ?? [])),
    ...loginsCauses(secret, secretKeys[type]?.[0] ?? ''),
    // One of both is enough.
    ...(type === 'kubernetes.io/basic-auth' && login.length === 2 ? login : []),
    ...(type === 'kubernetes.io/service-account-token' && textAt(secret, 'metadata', 'annotations', account) === ''
      ? [requiredField(`metadata.annotations[${account}]`)]
      : []),
  ];
};
