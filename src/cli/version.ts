import { readFileSync } from 'node:fs';
import { outputFormat, print, printJson } from './terminal/output.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
/** Of this package. */
export const version: string = manifest.version;

/** What a bug report should name. */
export function printVersion(options: { readonly output: string }): void {
  const about = { gitfleet: version, node: process.versions.node, platform: `${process.platform}/${process.arch}` };
  if (outputFormat(options.output, ['table', 'json']) === 'json')
    printJson({ apiVersion: 'gitfleet.dev/v1alpha1', kind: 'Version', ...about });
  else
    print(
      Object.entries(about)
        .map(([name, value]) => `${name} ${value}`)
        .join('\n'),
    );
}
