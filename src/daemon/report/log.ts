import { type DestinationStream, type Logger, pino } from 'pino';
import { printable } from '../../api/printable.ts';
import { isFields } from '../../engine/kernel/fields.ts';

export type { Logger };

/** Fields that are redacted everywhere in a log line. */
const secrets = ['token', 'password', 'authorization', 'secret', 'data', 'stringData', 'headers.authorization'];

/**
 * JSON lines with `ts` (RFC 3339), `level` and `msg`; readable lines where `pretty`.
 * Fields by convention: cluster, placement, stage, commit, planDigest.
 */
export async function openLog(input: {
  readonly level?: string;
  readonly pretty: boolean;
  readonly color?: boolean;
  readonly to?: DestinationStream;
}): Promise<Logger> {
  const options = {
    level: input.level ?? 'info',
    base: null,
    messageKey: 'msg',
    timestamp: () => `,"ts":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: secrets.flatMap((name) => (name.includes('.') ? [name] : [name, `*.${name}`, `*.*.${name}`])),
      censor: '(redacted)',
    },
  };
  // JSON already escapes control characters.
  if (!input.pretty) return pino(options, input.to ?? pino.destination({ dest: 2, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino(
    {
      ...options,
      formatters: { ...options.formatters, log: printableFields },
      hooks: { logMethod: printableMessage },
      serializers: { err: printableError },
    },
    pretty({
      colorize: input.color ?? false,
      timestampKey: 'ts',
      translateTime: 'SYS:HH:MM:ss',
      // One line per entry on a terminal; digests are only in JSON.
      singleLine: true,
      ignore: 'planDigest',
      destination: 2,
      sync: true,
    }),
  );
}

type LogMethod = (this: Logger, ...args: Parameters<pino.LogFn>) => void;

/** Removes control characters from texts of members and git servers, for a terminal. */
function printableMessage(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn): void {
  const cleaned = args.map((arg: unknown) => (typeof arg === 'string' ? printable(arg) : arg));
  (method as LogMethod).apply(this, cleaned as Parameters<pino.LogFn>);
}

const printableFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, printableValue(value)]));

function printableError(error: Error): object {
  const { message, stack, ...fields } = pino.stdSerializers.err(error);
  const lines = stack?.split('\n').map(printable).join('\n');
  return { ...printableFields(fields), message: printable(message), stack: lines };
}

/** Errors are left to their serializer. */
function printableValue(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(printableValue);
  return isFields(value) && Object.getPrototypeOf(value) === Object.prototype ? printableFields(value) : value;
}
