import type { RecordReader } from './folders/row.ts';

/** Takes the documents that files are written from. One that is a text could not be read before either. */
export const documentReader: RecordReader = {
  read({ written }, _, { lost } = {}) {
    if (written?.kind === 'object') return written.value as never;
    lost?.();
    return undefined;
  },
  manifests: ({ written }) => (written?.kind === 'manifests' ? written.value : undefined),
};
