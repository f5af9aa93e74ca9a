import type { Problem, ProblemCode } from '../../api/problem.ts';

type Fault = Pick<Problem, 'code' | 'line' | 'column' | 'message' | 'fix'>;

/** A fault because of which a text is not parsed as YAML. */
export function textFault(text: string, maxBytes: number): Fault | undefined {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes)
    return atStart('file-too-large', `the file is larger than ${Math.floor(maxBytes / 1024)} KiB`, 'split it');
  if (text.startsWith('version https://git-lfs'))
    return atStart('lfs-pointer', 'this is a Git LFS pointer, not the file itself', 'keep manifests out of LFS');
  const at = text.search(notAllowed);
  return at < 0 ? undefined : characterFault(text, at);
}

/** Characters that YAML forbids, or that only kubectl (YAML 1.1) reads as a line break; U+FFFD replaces invalid UTF-8. */
const notAllowed = /\r(?!\n)|[^\t\n\r -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffc\u{10000}-\u{10ffff}]/u;

function characterFault(text: string, at: number): Fault {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const code = text.codePointAt(at)!;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (code === 0xfffd)
    return { code: 'not-utf-8', line, column, message: 'the file is not UTF-8', fix: 'save it as UTF-8' };
  const written =
    code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  return {
    code: 'forbidden-character',
    line,
    column,
    message: `the character ${name} is not allowed in YAML, or is a line break for some programs`,
    fix: `remove it, or write ${written} inside double quotes`,
  };
}

const atStart = (code: ProblemCode, message: string, fix: string): Fault => ({
  code,
  line: 1,
  column: 1,
  message,
  fix,
});
