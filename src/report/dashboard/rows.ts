/** Rows of a table or a list beyond which the README only counts: a forge shows a page, not a database. */
export const mostRows = 200;

/** The last row of a table that is cut off: where the rest stands. */
export const moreUnder = (folder: string, total: number): readonly string[] =>
  total > mostRows ? ['', `… and ${total - mostRows} more under [${folder}](${folder}).`] : [];
