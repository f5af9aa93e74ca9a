import { BeyondLimit, badResponse, quoted } from './api-error.ts';

/** Throws BeyondLimit for JSON, as text or as its bytes, that would take too much memory when it is parsed. */
export function checkValues(
  json: string | Buffer,
  { tried, parsedBytes }: { readonly tried: string; readonly parsedBytes: number },
): void {
  if (json.length * worstPerCharacter > parsedBytes && parsedBytesOf(json) > parsedBytes)
    throw new BeyondLimit(tried, `a response of more values than fit into ${parsedBytes / 2 ** 20} MiB`, {
      smaller: true,
    });
}

/** Parses a response. Throws ApiError if it is not JSON. */
export function readJson(text: string, tried: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badResponse(tried, text === '' ? 'the response is empty' : `the response is not JSON: ${quoted(text)}`);
  }
}

/** What V8 takes for an object or a list without anything in it, and for one more entry. */
const containerBytes = 64;
const entryBytes = 8;
/** Of `{},{}`. */
const worstPerCharacter = 1 + (containerBytes + entryBytes) / 3;
const [brace, bracket, comma] = [0x7b, 0x5b, 0x2c];

/** Reading every character would take as long as parsing. */
const mostSamples = 4_096;
const charactersPerSample = 16;

/**
 * About as much memory as JSON takes when it is parsed; characters in strings count as well. The estimate samples characters at
 * random, so that no text can be written for which it is wrong.
 */
export function parsedBytesOf(json: string | Buffer): number {
  const codeAt = typeof json === 'string' ? (at: number) => json.charCodeAt(at) : (at: number) => json[Math.floor(at)];
  const samples = Math.min(mostSamples, Math.ceil(json.length / charactersPerSample));
  const step = json.length / samples;
  let bytes = 0;
  for (let sample = 0; sample < samples; sample++) {
    const code = codeAt((sample + Math.random()) * step);
    if (code === comma) bytes += entryBytes;
    else if (code === brace || code === bracket) bytes += containerBytes;
  }
  return json.length + bytes * step;
}
