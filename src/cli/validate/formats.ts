import type { Problem } from '../../api/problem.ts';
import { version } from '../version.ts';

/** Annotations of GitHub Actions, one line each. `prefix`: directory of the fleet repo in the workspace, `` or `fleet/`. */
export const githubLines = (problems: readonly Problem[], prefix: string): string[] =>
  problems.map(({ severity, code, message, fix, file, line, column }) => {
    const place = [
      ...(file === undefined ? [] : [`file=${property(`${prefix}${file}`)}`]),
      ...(line === undefined ? [] : [`line=${line}`]),
      ...(column === undefined ? [] : [`col=${column}`]),
      `title=${property(`gitfleet ${code}`)}`,
    ];
    return `::${severity === 'info' ? 'notice' : severity} ${place.join(',')}::${data(fix === undefined ? message : `${message}\nfix: ${fix}`)}`;
  });

/** As GitHub's toolkit escapes them. */
const data = (text: string): string => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
const property = (text: string): string => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');

/** A SARIF 2.1.0 log, for code scanning. Its lines and columns count from 1, as ours. */
export const sarif = (problems: readonly Problem[], prefix: string): object => ({
  version: '2.1.0',
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  runs: [
    {
      tool: {
        driver: {
          name: 'gitfleet',
          version,
          rules: [...new Set(problems.map(({ code }) => code))].map((id) => ({ id })),
        },
      },
      results: problems.map(({ severity, code, message, fix, file, line, column }) => ({
        ruleId: code,
        level: severity === 'info' ? 'note' : severity,
        message: { text: fix === undefined ? message : `${message}. Fix: ${fix}` },
        locations:
          file === undefined
            ? []
            : [
                {
                  physicalLocation: {
                    artifactLocation: { uri: `${prefix}${file}`.split('/').map(encodeURIComponent).join('/') },
                    ...(line === undefined
                      ? {}
                      : { region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } }),
                  },
                },
              ],
      })),
    },
  ],
});
