import { stringify } from 'yaml'

/** Values are quoted as JSON on one line each: none can end the header or become something else than text. */
export const writeHeader = (fields: Readonly<Record<string, unknown>>): string =>
  betweenFences(
    stringify(fields, {
      aliasDuplicateObjects: false,
      defaultStringType: 'QUOTE_DOUBLE',
      defaultKeyType: 'PLAIN',
      doubleQuotedAsJSON: true,
      lineWidth: 0,
    }),
  )

export const betweenFences = (yaml: string): string => `---\n${yaml}---\n`
