import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

// biome-ignore lint/suspicious/noExplicitAny: a document from outside, read as a stranger reads it
export type Document = any;
/** Text by path. */
export type Files = Readonly<Record<string, string>>;

const made: string[] = [];

/** A fresh directory with these files; `removeFolders` removes it. */
export function folder(files: Files = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'gitfleet-test-'));
  made.push(dir);
  put(dir, files);
  return dir;
}

export function removeFolders(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}

export function put(dir: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

/** The content of a directory. */
export function filesOf(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [relative(dir, path), readFileSync(path, 'utf8')]));
}
