import { version } from '../daemon/package-version.ts';
import { outputFormat, print, printJson } from './terminal/output.ts';

export { version };

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
