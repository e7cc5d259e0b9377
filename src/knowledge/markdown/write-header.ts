import { stringify } from 'yaml'

/** Strings are quoted as JSON on one line, so none can end the header or be parsed as another type. */
export const writeHeader = (fields: Readonly<Record<string, unknown>>): string =>
  wrapInFences(
    stringify(fields, {
      aliasDuplicateObjects: false,
      defaultStringType: 'QUOTE_DOUBLE',
      defaultKeyType: 'PLAIN',
      doubleQuotedAsJSON: true,
      lineWidth: 0,
    }),
  )

export const wrapInFences = (yaml: string): string => `---\n${yaml}---\n`
