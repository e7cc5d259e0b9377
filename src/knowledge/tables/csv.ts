/** Programs for tables take a text that begins so for a formula. */
const FORMULA = /^[=@\t\r]|^[+-](?![\d.,\s]*%?$)/

/** Tables as CSV after RFC 4180, with an empty line between two of them. Texts that look like formulas get an apostrophe. */
export const formatCsv = (tables: readonly (readonly (readonly string[])[])[]): string =>
  tables.map((rows) => rows.map((row) => `${row.map(formatField).join(',')}\r\n`).join('')).join('\r\n')

function formatField(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
